#include "sweep/local_jobs.h"

#include "base/text.h"
#include "core/options/job_options.h"
#include "sweep/yaml_text.h"

namespace ebb::sweep {
namespace {

Yaml TierEntry(const core::Tier& tier) {
  std::vector<Yaml::Entry> entries{{"name", tier.name}};
  if (tier.threshold) entries.emplace_back("threshold", FormatExact(tier.threshold->g_per_kwh));
  entries.emplace_back("max_delay", FormatExact(tier.max_delay));
  entries.emplace_back("priority", Yaml::Number(tier.priority));
  return Yaml::Map(std::move(entries));
}

Yaml ExperimentEntry(const Sweep& sweep, const Experiment& experiment) {
  std::vector<Yaml::Entry> settings;
  for (const Setting& setting : experiment.settings)
    settings.emplace_back(setting.name, setting.value.text);
  std::vector<Yaml> command;
  for (const std::string& word : experiment.command) command.emplace_back(word);
  std::vector<Yaml::Entry> entries{{"name", experiment.name},
                                   {"parameters", Yaml::Map(std::move(settings))},
                                   {"tier", sweep.TierOf(experiment).name}};
  if (!experiment.rationale.empty()) entries.emplace_back("rationale", experiment.rationale);
  entries.emplace_back("duration", FormatExact(experiment.duration));
  entries.emplace_back("power_w", FormatExact(experiment.power.watts));
  entries.emplace_back("command", Yaml::List(std::move(command)));
  return Yaml::Map(std::move(entries));
}

Yaml HalvingEntry(const HalvingOptions& halving) {
  return Yaml::Map({{"reduction", Yaml::Number(halving.reduction)},
                    {"minimum_epochs", Yaml::Number(halving.minimum_epochs)},
                    {"epochs", Yaml::Number(halving.epochs)}});
}

std::vector<Yaml::Entry> LimitEntries(const core::Budget& budget) {
  std::vector<Yaml::Entry> entries;
  if (budget.energy) entries.emplace_back("energy_kwh", FormatExact(budget.energy->kwh()));
  if (budget.emissions) entries.emplace_back("emissions_g", FormatExact(budget.emissions->grams));
  return entries;
}

Yaml BudgetEntry(const core::Budget& budget) {
  std::vector<Yaml::Entry> entries = LimitEntries(budget);
  entries.emplace_back("action", std::string(core::Name(budget.action)));
  return Yaml::Map(std::move(entries));
}

Yaml YamlOf(const core::OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return Yaml::Bool(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return Yaml::Number(*number);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return Yaml::List({texts->begin(), texts->end()});
  return core::OptionText(value);
}

}  // namespace

std::string LocalJobs(const Sweep& sweep) {
  std::vector<Yaml> tiers, experiments;
  for (const core::Tier& tier : sweep.tiers) tiers.push_back(TierEntry(tier));
  for (const Experiment& experiment : sweep.experiments)
    experiments.push_back(ExperimentEntry(sweep, experiment));
  std::vector<Yaml::Entry> entries{{"name", sweep.name}};
  for (const core::JobOption& option : core::JobOptions()) {
    if (!option.set || !option.StandsIn(core::Place::kSweep)) continue;
    if (const auto value = option.get(sweep.common))
      entries.emplace_back(option.field.key, YamlOf(*value));
  }
  if (!sweep.common.budget.empty())
    entries.emplace_back("budget", BudgetEntry(sweep.common.budget));
  if (!sweep.budget.empty())
    entries.emplace_back("sweep_budget", Yaml::Map(LimitEntries(sweep.budget)));
  if (sweep.halving) entries.emplace_back("successive_halving", HalvingEntry(*sweep.halving));
  entries.emplace_back("tiers", Yaml::List(std::move(tiers)));
  entries.emplace_back("experiments", Yaml::List(std::move(experiments)));
  return Yaml::Map(std::move(entries)).Document();
}

}  // namespace ebb::sweep
