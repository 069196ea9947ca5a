#include "config/run/training_section.h"

#include <algorithm>
#include <initializer_list>

namespace ebb::config {
namespace {

constexpr double kMostSteps = 1e6;
constexpr double kNoLimit = 9e15;
constexpr double kMostThreads = 4096;

// The name of a run becomes part of file and directory names.
void CheckRunName(const Given<std::string>& name, Problems& problems) {
  constexpr std::size_t kLongest = 100;
  if (!name) return;
  const bool bad = name.value->size() > kLongest || name.value->front() == '.' ||
                   name.value->find_first_of("/\\\n\r\t") != std::string::npos;
  if (bad)
    problems.Add(name.line,
                 "run_name becomes a file name: at most 100 characters, no slash or line break, no "
                 "dot in front");
}

std::vector<std::int64_t> ResolveSeeds(const TrainingKeys& keys, Problems& problems) {
  if (keys.seed && keys.seeds)
    problems.Add(keys.seeds.line, "seed (line " + std::to_string(keys.seed.line) +
                                      ") and seeds are both given: leave one out");
  if (keys.seeds) return *keys.seeds;
  return {keys.seed.value_or(1)};
}

// Refuses keys and choices of image classifiers that a fine-tuning does not use.
void RefuseClassifierKeys(const TrainingKeys& keys, Problems& problems) {
  const auto refuse = [&](const auto& given, const char* key, const char* instead) {
    if (given)
      problems.Add(given.line, std::string(key) +
                                   " is of image classifiers, and the section lora " +
                                   "fine-tunes a language model: " + instead);
  };
  refuse(keys.model, "model", "lora.base names its folder");
  refuse(keys.data, "data", "lora.data names files of texts");
  refuse(keys.train_samples, "train_samples", "lora.first_records reads only so many");
  refuse(keys.test_samples, "test_samples", "lora.validation_share is what is kept for validation");
  refuse(keys.model_save_path, "model_save_path", "lora.adapter_dir is where the adapter goes");
  refuse(keys.teacher, "teacher", "lora.teacher is the folder of one");
  refuse(keys.temperature, "temperature", "lora.temperature is for its teacher");
  refuse(keys.distillation_mix, "distillation_mix", "lora.distillation_mix is for its teacher");
  const auto refuse_choice = [&](const Given<std::string>& given, const char* choice,
                                 const std::string& what) {
    if (given && *given == choice)
      problems.Add(given.line, what + " with the section lora, and " + Quoted(choice) + " is not");
  };
  refuse_choice(keys.precision, "fp16", "precision must be bf16 or fp32");
  refuse_choice(keys.lr_schedule, "step", "lr_schedule must be cosine or constant");
}

void RequireTeacher(const TrainingKeys& keys, Problems& problems) {
  const auto needs_teacher = [&](const Given<double>& given, const char* key) {
    if (given && !keys.teacher)
      problems.Add(given.line, std::string(key) + " has no meaning without teacher");
  };
  needs_teacher(keys.temperature, "temperature");
  needs_teacher(keys.distillation_mix, "distillation_mix");
}

// The defaults of `ebb-train lora`.
TrainingConfig LoraDefaults() {
  TrainingConfig config;
  config.model.clear();
  config.data.clear();
  config.batch_size = 1;
  config.accumulation_steps = 8;
  config.learning_rate = 1e-4;
  config.lr_schedule = "cosine";
  config.precision = "bf16";
  return config;
}

}  // namespace

std::vector<KeyRule> TrainingRules(TrainingKeys& keys) {
  return {
      ReadText("run_name", keys.run_name),
      ReadInteger("batch_size", keys.batch_size, {1, kMostSteps}),
      ReadInteger("gradient_accumulation_steps", keys.gradient_accumulation_steps, {1, kMostSteps}),
      ReadInteger("epochs", keys.epochs, {1, kMostSteps}),
      ReadNumber("learning_rate", keys.learning_rate, {1e-12, 100}),
      ReadText("model_save_path", keys.model_save_path),
      ReadText("model", keys.model),
      ReadChoice("data", keys.data, {"mnist", "digits"}),
      ReadChoice("lr_schedule", keys.lr_schedule, {"constant", "cosine", "step"}),
      ReadChoice("precision", keys.precision, {"fp32", "bf16", "fp16"}),
      ReadInteger("seed", keys.seed, {0, kNoLimit}),
      ReadIntegers("seeds", keys.seeds, {0, kNoLimit}),
      ReadInteger("train_samples", keys.train_samples, {0, kNoLimit}),
      ReadInteger("test_samples", keys.test_samples, {0, kNoLimit}),
      ReadChoice("device", keys.device, {"auto", "cpu", "cuda"}),
      ReadInteger("threads", keys.threads, {0, kMostThreads}),
      ReadInteger("checkpoint_every", keys.checkpoint_every, {0, kNoLimit}),
      ReadText("teacher", keys.teacher),
      ReadNumber("temperature", keys.temperature, {1e-3, 1e3}),
      ReadNumber("distillation_mix", keys.distillation_mix, {0, 1}),
  };
}

std::vector<KeyRule> TrackerRules(MeteringKeys& keys) {
  const core::Field& interval = RunOptionOfKey(kMeteringSection, "interval").field;
  return {
      ReadText("output_dir", keys.tracker_output_dir),
      ReadText("project_name", keys.project_name),
      ReadDuration("measure_power_secs", keys.measure_power_secs, DurationFromSeconds(interval.low),
                   DurationFromSeconds(interval.high)),
  };
}

std::vector<KeyRule> MeteringRules(MeteringKeys& keys) { return keys.options.Rules(); }

TrainingConfig ResolveTraining(const TrainingKeys& keys, const LoraKeys& lora,
                               const std::string& default_name, Problems& problems) {
  CheckRunName(keys.run_name, problems);
  TrainingConfig config = lora.line > 0 ? LoraDefaults() : TrainingConfig{};
  if (lora.line > 0) {
    RefuseClassifierKeys(keys, problems);
    config.lora = ResolveLora(lora, problems);
  } else {
    RequireTeacher(keys, problems);
  }
  config.run_name = keys.run_name.value_or(default_name);
  config.model = keys.model.value_or(config.model);
  config.data = keys.data.value_or(config.data);
  config.batch_size = keys.batch_size.value_or(config.batch_size);
  config.accumulation_steps = keys.gradient_accumulation_steps.value_or(config.accumulation_steps);
  config.epochs = keys.epochs.value_or(config.epochs);
  config.learning_rate = keys.learning_rate.value_or(config.learning_rate);
  config.lr_schedule = keys.lr_schedule.value_or(config.lr_schedule);
  config.precision = keys.precision.value_or(config.precision);
  config.seeds = ResolveSeeds(keys, problems);
  config.train_samples = keys.train_samples.value_or(config.train_samples);
  config.test_samples = keys.test_samples.value_or(config.test_samples);
  config.device = keys.device.value_or(config.device);
  config.threads = keys.threads.value_or(config.threads);
  config.checkpoint_every = keys.checkpoint_every.value_or(config.checkpoint_every);
  config.model_save_path = keys.model_save_path.value_or("");
  config.teacher = keys.teacher.value_or("");
  config.temperature = keys.temperature.value;
  config.distillation_mix = keys.distillation_mix.value;
  return config;
}

namespace {

using KeyNames = std::initializer_list<const char*>;

bool HasAny(const RunOptionKeys& options, KeyNames names) {
  return std::ranges::any_of(names, [&](const char* name) { return options.Has(name); });
}

// Refuses keys that have no effect without one of others. `words` names those in the message.
void Need(const RunOptionKeys& options, KeyNames keys, KeyNames others, const std::string& words,
          Problems& problems) {
  if (HasAny(options, others)) return;
  for (const char* key : keys)
    if (options.Has(key))
      problems.Add(options.LineOf(key), std::string(key) + " has no meaning without " + words);
}

}  // namespace

MeteringConfig ResolveMetering(const MeteringKeys& keys, const MeteringConfig& otherwise,
                               Problems& problems) {
  RunOptions options;
  options.metering = otherwise;
  keys.options.Apply(options);
  MeteringConfig config = std::move(options.metering);
  const auto interval = keys.options.Of<Duration>("interval");
  if (interval && keys.measure_power_secs && *interval != *keys.measure_power_secs)
    problems.Add(interval.line, "metering.interval and tracker.measure_power_secs (line " +
                                    std::to_string(keys.measure_power_secs.line) +
                                    ") mean the same and differ: leave one out");
  config.interval = interval.value_or(keys.measure_power_secs.value_or(config.interval));
  Need(keys.options, {"embodied_lifetime", "embodied_share"}, {"embodied_kg"}, "embodied_kg",
       problems);
  const KeyNames sources{"other_trace", "other_constant", "other_signal"};
  Need(keys.options, {"other_kind"}, sources, "other_trace, other_constant or other_signal",
       problems);
  // A zone alone is not a second signal.
  if (!HasAny(keys.options, sources)) config.other_signal.reset();
  Need(keys.options, {"on_budget", "budget_grace"}, {"budget_kwh", "budget_g"},
       "budget_kwh or budget_g", problems);
  config.project_name = keys.project_name.value_or(config.project_name);
  return config;
}

}  // namespace ebb::config
