#pragma once
// Reads the configuration of a run of `ebb train CONFIG.yaml` from YAML. NEO's keys are accepted in
// both of its spellings, beside Ebb's own; every key is in docs/config.md or docs/run-options.md.
// Unknown or contradictory keys are refused. All mistakes of a file are reported together, each
// with file and line. Pure but for LoadTrainConfig, which reads one file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "core/devices/device_profile.h"
#include "core/run/run.h"
#include "plan/gate_policy.h"
#include "signals/signal_options.h"

namespace ebb::config {

struct GridClockConfig {
  std::optional<Time> start;  ///< grid time of the submission; absent for the present time
  double speed = 1;           ///< grid seconds per wall second, greater than 0
  bool skip_waits = false;
  bool replayed() const { return start || speed != 1 || skip_waits; }
};

struct PriceConfig {
  std::string path;                 ///< path of the price file; empty if there are no prices
  double weight = 0;                ///< weight of the price against carbon, 0 to 1
                                    ///< (plan/price_blend.h)
  std::optional<double> threshold;  ///< price per kWh
};

/// The default time from submission to the latest start.
inline constexpr Duration kDefaultLongestWait = std::chrono::hours{24};

struct SchedulerConfig {
  plan::GatePolicyKind policy = plan::GatePolicyKind::kNow;
  Intensity threshold{300};
  Duration longest_wait = kDefaultLongestWait;  ///< time from submission to the latest start
  std::optional<Duration> duration;
  plan::AtDeadline on_deadline = plan::AtDeadline::kStart;
  core::OnOutage on_outage = core::OnOutage::kWait;
  signals::SignalOptions signal;
  GridClockConfig clock;
  PriceConfig prices;

  /// A sentence about price options that contradict each other; empty if there is no contradiction.
  std::string PriceContradiction() const;
};

/// The options that only the fine-tuning of a language model has.
struct LoraConfig {
  std::string base;                ///< folder of the model
  std::vector<std::string> data;   ///< files of texts; empty: tokens
  std::string tokens;              ///< file of tokens
  std::string adapter_dir;         ///< folder inside the run directory; empty for the trainer's
                                   ///< default
  std::vector<std::string> flags;  ///< all other flags, in the form of `ebb-train lora`; its
                                   ///< defaults apply
};

/// The options of a training. Texts that name a choice have been checked and are the values of
/// ebb-train's flags. The defaults are those of an image classifier.
struct TrainingConfig {
  std::string run_name;              ///< default: the file's name without .yaml
  std::optional<LoraConfig> lora;    ///< absent if an image classifier is trained
  std::string model = "simple-cnn";  ///< classifiers only, as data, samples and model_save_path
  std::string data = "mnist";        ///< mnist, digits
  std::int64_t batch_size = 64;
  std::int64_t accumulation_steps = 1;
  std::int64_t epochs = 3;
  double learning_rate = 1e-3;
  std::string lr_schedule = "constant";  ///< constant, cosine, step
  std::string precision = "fp32";        ///< fp32, bf16, fp16
  std::vector<std::int64_t> seeds{1};    ///< one run per seed; never empty
  std::int64_t train_samples = 0;        ///< 0: all
  std::int64_t test_samples = 0;         ///< 0: all
  std::string device = "auto";           ///< auto, cpu, cuda
  std::int64_t threads = 0;              ///< 0: one per available core
  std::int64_t checkpoint_every = 0;     ///< optimizer steps; 0: only when asked to pause
  std::string model_save_path;           ///< path inside the run directory; empty for the trainer's
                                         ///< default
  std::string teacher;                   ///< model file of another training; empty if there is no
                                         ///< teacher
  std::optional<double> temperature;     ///< used only with a teacher
  std::optional<double> distillation_mix;  ///< used only with a teacher
};

inline constexpr double kLargestWue = 100;
inline constexpr double kLargestEmbodiedKg = 1e9;
/// The default lifetime of hardware: four years, as in the SCI examples and the reports of cloud
/// providers.
inline constexpr Duration kDefaultLifetime = std::chrono::hours{4 * 8760};

/// The RAPL domains that are read, if the machine has them.
enum class RaplUse { kPackages, kPackagesAndDram, kPsys, kNone };
std::vector<std::string> RaplUseNames();
std::string_view Name(RaplUse use);
std::optional<RaplUse> RaplUseFromName(std::string_view name);

/// The model that turns the load of processors without a readable counter into power
/// (meter/cpu/cpu_model.h).
enum class CpuModel { kLinear, kCodeCarbon };
/// "linear", "codecarbon".
std::vector<std::string> CpuModelNames();
std::string_view Name(CpuModel model);
std::optional<CpuModel> CpuModelFromName(std::string_view name);

struct MeteringConfig {
  core::MeterScope scope = core::MeterScope::kProcessTree;
  Duration interval{std::chrono::seconds{1}};
  std::optional<Power> cpu_tdp;
  std::optional<Power> ram_power;
  RaplUse rapl = RaplUse::kPackages;
  std::optional<Power> cpu_idle_power;  ///< idle power of all processors together
  CpuModel cpu_model = CpuModel::kLinear;
  std::string device_profiles;  ///< path of the user's own device profiles (device_file.h); empty
                                ///< if there are none
  std::vector<core::DeviceProfile> own_profiles;  ///< profiles in that file
  std::optional<std::string> gpu_ids;  ///< as CUDA_VISIBLE_DEVICES; absent if that variable decides
  Pue pue;
  std::optional<double> wue_l_per_kwh;
  core::Embodied embodied{{}, kDefaultLifetime, 1};  ///< total 0 if not reported
  /// A second signal of the other kind. Energy is accounted on it as well, but it decides nothing.
  std::optional<signals::SignalOptions> other_signal;
  core::Budget budget;
  std::string project_name = "ebb";
};

struct TrainConfig {
  std::string source;  ///< path of the file, for messages
  SchedulerConfig scheduler;
  TrainingConfig training;
  MeteringConfig metering;
  std::string output_dir = "runs";
  std::string data_dir = "data";
  /// Notes for the reader before the run: keys that were overruled, with the rule.
  std::vector<std::string> notes;
};

/// `name` is for messages, and its stem is the default run name. `metering` gives the values of
/// scope, interval, powers, RAPL, PUE and water that the file does not give.
Result<TrainConfig> ParseTrainConfig(const std::string& text, const std::string& name,
                                     const MeteringConfig& metering = {});
/// `name`: a path, or the name of a file that ships with Ebb (platform/shipped_files.h).
Result<TrainConfig> LoadTrainConfig(const std::string& name, const MeteringConfig& metering = {});

}  // namespace ebb::config
