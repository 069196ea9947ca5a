#pragma once
// The sections training, tracker and metering: their keys and their combined meaning.

#include <string>
#include <vector>

#include "config/options/run_option_keys.h"
#include "config/run/lora_section.h"
#include "config/run/train_config.h"
#include "config/yaml/key_reader.h"

namespace ebb::config {

struct TrainingKeys {
  // NEO
  Given<std::string> run_name;
  Given<std::int64_t> batch_size;
  Given<std::int64_t> gradient_accumulation_steps;
  Given<std::int64_t> epochs;
  Given<double> learning_rate;
  Given<std::string> model_save_path;
  // Ebb
  Given<std::string> model;
  Given<std::string> data;
  Given<std::string> lr_schedule;
  Given<std::string> precision;
  Given<std::int64_t> seed;
  Given<std::vector<std::int64_t>> seeds;
  Given<std::int64_t> train_samples;
  Given<std::int64_t> test_samples;
  Given<std::string> device;
  Given<std::int64_t> threads;
  Given<std::int64_t> checkpoint_every;
  Given<std::string> teacher;
  Given<double> temperature;
  Given<double> distillation_mix;
};

/// tracker is NEO's section, metering Ebb's own.
struct MeteringKeys {
  Given<std::string> tracker_output_dir;
  Given<std::string> project_name;
  Given<Duration> measure_power_secs;
  RunOptionKeys options{kMeteringSection};
};

/// The rules write into `keys`, which must outlive them.
std::vector<KeyRule> TrainingRules(TrainingKeys& keys);
std::vector<KeyRule> TrackerRules(MeteringKeys& keys);
std::vector<KeyRule> MeteringRules(MeteringKeys& keys);

/// With a section lora, the defaults are those of `ebb-train lora`, and keys of classifiers are
/// mistakes.
TrainingConfig ResolveTraining(const TrainingKeys& keys, const LoraKeys& lora,
                               const std::string& default_name, Problems& problems);
/// `otherwise` gives the values that no key sets.
MeteringConfig ResolveMetering(const MeteringKeys& keys, const MeteringConfig& otherwise,
                               Problems& problems);

}  // namespace ebb::config
