#pragma once
// The configuration of a run of `ebb train CONFIG.yaml`: typed options from YAML. NEO's keys are
// accepted in both of its spellings, beside Ebb's own; every key is in docs/config.md. Nothing
// unknown or contradictory passes: all mistakes of a file are reported together, each with file and
// line. Pure but for LoadTrainConfig, which reads one file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "core/device_profile.h"
#include "core/run.h"
#include "plan/gate_policy.h"
#include "signals/signal_options.h"

namespace ebb::config {

enum class GatePolicyKind { kNow, kThreshold, kWindow, kCarbonTime, kDtpr };
/// "now", "threshold", "window", "carbon-time", "dtpr": as it is stored.
std::string_view Name(GatePolicyKind policy);
/// Whether it waits for want of one.
constexpr bool NeedsForecast(GatePolicyKind policy) {
  return policy == GatePolicyKind::kWindow || policy == GatePolicyKind::kCarbonTime;
}
/// By its name or its short one (plan/make_policy.h).
std::optional<GatePolicyKind> GatePolicyKindFromName(std::string_view name);
/// "run-now", "threshold", "lowest-window", "carbon-time", "dtpr": the names that people see.
std::vector<std::string> GatePolicyKindNames();

struct GridClockConfig {
  std::optional<Time> start;  ///< grid time of submission; absent: now
  double speed = 1;           ///< grid seconds per wall second, > 0
  bool skip_waits = false;
  bool replayed() const { return start || speed != 1 || skip_waits; }
};

struct PriceConfig {
  std::string path;                 ///< empty: no prices
  double weight = 0;                ///< of the price beside carbon, 0 to 1 (plan/price_blend.h)
  std::optional<double> threshold;  ///< per kWh
};

/// From submission to the latest start, where nothing says otherwise.
inline constexpr Duration kDefaultLongestWait = std::chrono::hours{24};

struct SchedulerConfig {
  GatePolicyKind policy = GatePolicyKind::kNow;
  Intensity threshold{300};
  Duration longest_wait = kDefaultLongestWait;  ///< from submission to the latest start
  std::optional<Duration> duration;
  plan::AtDeadline on_deadline = plan::AtDeadline::kStart;
  core::OnOutage on_outage = core::OnOutage::kWait;
  signals::SignalOptions signal;
  GridClockConfig clock;
  PriceConfig prices;

  /// What makes no sense together, in words for people; empty where all is well.
  std::string PriceContradiction() const;
};

/// The options that only the fine-tuning of a language model has.
struct LoraConfig {
  std::string base;                ///< folder of the model
  std::vector<std::string> data;   ///< files of texts; empty: tokens
  std::string tokens;              ///< a file of tokens
  std::string adapter_dir;         ///< inside the run directory; empty: the trainer's default
  std::vector<std::string> flags;  ///< all else, as `ebb-train lora` takes it; its defaults count
};

/// Texts that name a choice are checked and are what ebb-train's flags expect. The defaults are
/// those of an image classifier.
struct TrainingConfig {
  std::string run_name;              ///< default: the file's name without .yaml
  std::optional<LoraConfig> lora;    ///< absent: an image classifier is trained
  std::string model = "simple-cnn";  ///< of a classifier, as data, samples and model_save_path
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
  std::string model_save_path;           ///< inside the run directory; empty: the trainer's default
  std::string teacher;                   ///< model file of another training; empty: none
  std::optional<double> temperature;     ///< of a training with a teacher
  std::optional<double> distillation_mix;  ///< the same
};

/// Both ends of what is accepted, by flag and by key alike.
inline constexpr double kLeastBudget = 1e-9;
inline constexpr double kLargestBudgetKwh = 1e9;
inline constexpr double kLargestBudgetG = 1e12;

inline constexpr double kLargestWue = 100;
inline constexpr double kLargestEmbodiedKg = 1e9;
/// Four years, as the SCI examples and cloud providers' reports use.
inline constexpr Duration kDefaultLifetime = std::chrono::hours{4 * 8760};

/// Which of RAPL's domains are read, where they are there.
enum class RaplUse { kPackages, kPackagesAndDram, kPsys, kNone };
std::vector<std::string> RaplUseNames();
std::string_view Name(RaplUse use);
std::optional<RaplUse> RaplUseFromName(std::string_view name);

/// How the load of processors without a readable counter becomes power (meter/cpu/cpu_model.h).
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
  std::optional<Power> cpu_idle_power;  ///< of all processors with nothing running
  CpuModel cpu_model = CpuModel::kLinear;
  std::string device_profiles;  ///< a file of one's own (device_file.h); empty: none
  std::vector<core::DeviceProfile> own_profiles;  ///< that stand in it
  std::optional<std::string> gpu_ids;  ///< as CUDA_VISIBLE_DEVICES; absent: that variable decides
  Pue pue;
  std::optional<double> wue_l_per_kwh;
  core::Embodied embodied{{}, kDefaultLifetime, 1};  ///< total 0: left out
  /// A second signal of the other kind: accounted beside the first, decides nothing.
  std::optional<signals::SignalOptions> other_signal;
  core::Budget budget;
  std::string project_name = "ebb";
};

struct TrainConfig {
  std::string source;  ///< the file, for messages
  SchedulerConfig scheduler;
  TrainingConfig training;
  MeteringConfig metering;
  std::string output_dir = "runs";
  std::string data_dir = "data";
  /// What the reader should be told before the run: keys that lost to others, with the rule.
  std::vector<std::string> notes;
};

/// `name` is for messages, and its stem is the default run name. `metering` holds where the file
/// says nothing of scope, interval, powers, RAPL, PUE and water.
Result<TrainConfig> ParseTrainConfig(const std::string& text, const std::string& name,
                                     const MeteringConfig& metering = {});
/// `name`: a path, or of a file that ships (platform/shipped_files.h).
Result<TrainConfig> LoadTrainConfig(const std::string& name, const MeteringConfig& metering = {});

}  // namespace ebb::config
