#include "config/training_section.h"

#include "core/options/field_builders.h"
#include "core/signal_choices.h"

namespace ebb::config {
namespace {

constexpr double kMostSteps = 1e6;
constexpr double kNoLimit = 9e15;
constexpr double kMostWatts = 1e5;
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
  return {
      ReadText("output_dir", keys.tracker_output_dir),
      ReadText("project_name", keys.project_name),
      ReadDuration("measure_power_secs", keys.measure_power_secs, Duration{100}),
  };
}

std::vector<KeyRule> MeteringRules(MeteringKeys& keys) {
  return {
      ReadChoice("scope", keys.scope, {"process", "machine"}),
      ReadDuration("interval", keys.interval, Duration{100}),
      ReadNumber("cpu_tdp_w", keys.cpu_tdp_w, {0.1, kMostWatts}),
      ReadNumber("ram_power_w", keys.ram_power_w, {0, kMostWatts}),
      ReadChoice("rapl", keys.rapl, RaplUseNames()),
      ReadNumber("pue", keys.pue, {1, 10}),
      ReadNumber("wue_l_per_kwh", keys.wue_l_per_kwh, {0, kLargestWue}),
      ReadNumber("embodied_kg", keys.embodied_kg, {core::kLeastBudget, kLargestEmbodiedKg}),
      ReadDuration("embodied_lifetime", keys.embodied_lifetime, std::chrono::hours{1}),
      ReadNumber("embodied_share", keys.embodied_share, {1e-9, 1}),
      ReadText("other_trace", keys.other_trace),
      ReadNumber("other_constant", keys.other_constant, {0, 10'000}),
      ReadChoice("other_signal", keys.other_signal, signals::SignalSourceNames()),
      ReadText("other_zone", keys.other_zone),
      ReadChoice("other_kind", keys.other_kind, core::SignalKindNames()),
      ReadNumber("budget_kwh", keys.budget_kwh, {core::kLeastBudget, core::kMostBudgetKwh}),
      ReadNumber("budget_g", keys.budget_g, {core::kLeastBudget, core::kMostBudgetG}),
      ReadChoice("on_budget", keys.on_budget, core::BudgetActionNames()),
      ReadDuration("budget_grace", keys.budget_grace, Duration::zero()),
  };
}

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

core::Budget ResolveBudget(const MeteringKeys& keys, Problems& problems) {
  core::Budget budget;
  if (keys.budget_kwh) budget.energy = Energy::Joules(*keys.budget_kwh * 3.6e6);
  if (keys.budget_g) budget.emissions = Emissions{*keys.budget_g};
  if (keys.on_budget) budget.action = *core::BudgetActionFromName(*keys.on_budget);
  budget.grace = keys.budget_grace.value_or(budget.grace);
  const auto needs_budget = [&](const auto& given, const char* key) {
    if (given && budget.empty())
      problems.Add(given.line, std::string(key) + " has no meaning without budget_kwh or budget_g");
  };
  needs_budget(keys.on_budget, "on_budget");
  needs_budget(keys.budget_grace, "budget_grace");
  return budget;
}

core::Embodied ResolveEmbodied(const MeteringKeys& keys, Problems& problems) {
  core::Embodied embodied;
  embodied.total.grams = 1000 * keys.embodied_kg.value_or(0);
  embodied.lifetime = keys.embodied_lifetime.value_or(kDefaultLifetime);
  embodied.share = keys.embodied_share.value_or(1);
  const auto needs_total = [&](const auto& given, const char* key) {
    if (given && !keys.embodied_kg)
      problems.Add(given.line, std::string(key) + " has no meaning without embodied_kg");
  };
  needs_total(keys.embodied_lifetime, "embodied_lifetime");
  needs_total(keys.embodied_share, "embodied_share");
  return embodied;
}

std::optional<signals::SignalOptions> ResolveOtherSignal(const MeteringKeys& keys,
                                                         Problems& problems) {
  if (!keys.other_trace && !keys.other_constant && !keys.other_signal) {
    if (keys.other_kind)
      problems.Add(keys.other_kind.line,
                   "other_kind has no meaning without other_trace, other_constant or other_signal");
    return std::nullopt;
  }
  signals::SignalOptions signal;
  if (keys.other_trace) {
    signal.source = signals::SignalSource::kReplay;
    signal.trace_path = *keys.other_trace;
  }
  if (keys.other_constant) {
    signal.source = signals::SignalSource::kConstant;
    signal.constant = Intensity{*keys.other_constant};
  }
  if (keys.other_signal) signal.source = *signals::SignalSourceFromName(*keys.other_signal);
  signal.zone = keys.other_zone.value_or("");
  if (keys.other_kind) signal.kind = core::SignalKindFromName(*keys.other_kind);
  return signal;
}

}  // namespace

MeteringConfig ResolveMetering(const MeteringKeys& keys, const MeteringConfig& otherwise,
                               Problems& problems) {
  MeteringConfig config = otherwise;
  if (keys.scope)
    config.scope =
        *keys.scope == "machine" ? core::MeterScope::kMachine : core::MeterScope::kProcessTree;
  if (keys.interval && keys.measure_power_secs && *keys.interval != *keys.measure_power_secs)
    problems.Add(keys.interval.line, "metering.interval and tracker.measure_power_secs (line " +
                                         std::to_string(keys.measure_power_secs.line) +
                                         ") mean the same and differ: leave one out");
  config.interval = keys.interval.value_or(keys.measure_power_secs.value_or(config.interval));
  if (keys.cpu_tdp_w) config.cpu_tdp = Power{*keys.cpu_tdp_w};
  if (keys.ram_power_w) config.ram_power = Power{*keys.ram_power_w};
  if (keys.rapl) config.rapl = RaplUseFromName(*keys.rapl).value_or(config.rapl);
  if (keys.pue) config.pue = {*keys.pue};
  if (keys.wue_l_per_kwh) config.wue_l_per_kwh = keys.wue_l_per_kwh.value;
  config.embodied = ResolveEmbodied(keys, problems);
  config.other_signal = ResolveOtherSignal(keys, problems);
  config.budget = ResolveBudget(keys, problems);
  config.project_name = keys.project_name.value_or(config.project_name);
  return config;
}

}  // namespace ebb::config
