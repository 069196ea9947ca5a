#include "sweep/sweep.h"

#include <map>

namespace ebb::sweep {
namespace {

constexpr int kTimeLimitFactor = 2;

}  // namespace

void FindDuplicateNames(const std::vector<Experiment>& experiments, int line,
                        std::vector<Mistake>& mistakes) {
  std::map<std::string, int> seen;
  for (const Experiment& experiment : experiments) {
    const auto [before, is_new] = seen.emplace(experiment.name, experiment.index);
    if (!is_new)
      mistakes.push_back({line, "experiments " + std::to_string(before->second) + " and " +
                                    std::to_string(experiment.index) + " are both called " +
                                    experiment.name});
  }
}

core::Parameters ParametersOf(const Experiment& experiment) {
  core::Parameters parameters;
  for (const Setting& setting : experiment.settings)
    parameters.emplace_back(setting.name, setting.value.text);
  return parameters;
}

std::string Describe(const Experiment& experiment) {
  std::string text;
  for (const auto& [name, value] : ParametersOf(experiment))
    text += (text.empty() ? "" : ",") + name + "=" + value;
  return text;
}

Duration TimeLimitOf(const Sweep& sweep, const Experiment& experiment) {
  return sweep.common.time_limit.value_or(kTimeLimitFactor * experiment.duration);
}

core::Job JobOf(const Sweep& sweep, const Experiment& experiment, Time submitted) {
  const core::Tier& tier = sweep.TierOf(experiment);
  core::Job job = sweep.common.job;
  job.id = experiment.index;
  job.name = experiment.name;
  job.submitted = submitted;
  job.duration = experiment.duration;
  job.power = experiment.power;
  job.start_by = submitted + tier.max_delay;
  job.tier = tier.name;
  job.priority = tier.priority;
  job.threshold = tier.threshold;
  return job;
}

}  // namespace ebb::sweep
