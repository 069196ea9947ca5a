#pragma once
// A hyper-parameter sweep: parameters as a grid or a list, the tier, run time and power of each
// configuration by rules (the first that matches wins), a name and a command. Expand turns the
// definition into experiments; what is wrong with it is said all at once, with lines. Pure.
//
// The command is a list of arguments. A parameter's value becomes (part of) one argument and is
// never read by a shell.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/budget.h"
#include "core/submission.h"
#include "core/tier.h"
#include "sweep/condition.h"
#include "sweep/successive_halving.h"
#include "sweep/text_template.h"

namespace ebb::sweep {

/// More would be a mistake in a grid rather than what somebody wants.
inline constexpr std::size_t kMostExperiments = 10'000;

struct Parameter {
  std::string name;
  std::vector<Value> values;  ///< the user's exact texts, in the file's order
  int line = 0;
};

struct TierRule {
  Condition when;
  std::string tier;
  std::string rationale;  ///< a template
  int line = 0;
};

/// What a configuration is expected to take, on a device of speed 1.
struct EstimateRule {
  Condition when;
  Duration duration{};
  Power power;
  int line = 0;
};

/// A random part of the configurations: as many of each tier, the rest of the last one.
struct Sample {
  std::size_t size = 0;
  std::uint64_t seed = 42;
  int line = 0;
};

/// A text with places for parameters, and where it stands.
struct TemplateText {
  std::string text;
  int line = 0;
};

struct Experiment {
  int index = 1;  ///< from 1, in the order of submission
  std::string name;
  std::vector<Setting> settings;
  int tier = 0;  ///< index into Sweep::tiers
  std::string rationale;
  Duration duration{};
  Power power;
  std::vector<std::string> command;
};

/// A sweep, ready to be run or generated.
struct Sweep {
  std::string name;
  std::vector<core::Tier> tiers;
  std::vector<Experiment> experiments;
  /// What all experiments have in common: the options that a sweep's file may give
  /// (core/options/job_options.h), and the budget of each one.
  core::Submission common{};
  std::optional<HalvingOptions> halving;
  core::Budget budget{};  ///< of all experiments together: its limits

  const core::Tier& TierOf(const Experiment& experiment) const {
    return tiers[static_cast<std::size_t>(experiment.tier)];
  }
};

/// The longest run before it is ended: that of the sweep, or else twice the estimate.
Duration TimeLimitOf(const Sweep& sweep, const Experiment& experiment);
/// The experiment as a job submitted at `submitted`; its id is its index.
core::Job JobOf(const Sweep& sweep, const Experiment& experiment, Time submitted);

/// What Expand is given.
struct Definition {
  std::vector<Parameter> grid;             ///< the last one varies fastest
  std::vector<std::vector<Setting>> list;  ///< or each configuration by itself
  std::vector<int> list_lines;
  std::vector<core::Tier> tiers;
  std::vector<TierRule> tier_rules;
  std::vector<EstimateRule> estimates;
  TemplateText name;
  std::vector<TemplateText> command;
  std::optional<Sample> sample;
  int line = 0;  ///< of the parameters
};

struct Mistake {
  int line = 0;
  std::string what;
};

/// Experiments, or at least one mistake and none of them.
struct Expansion {
  std::vector<Experiment> experiments;
  std::vector<Mistake> mistakes;
};
Expansion Expand(const Definition& definition);

/// What is wrong with the parameters, rules and templates there are, without expanding them.
std::vector<Mistake> Check(const Definition& definition);

/// Names that occur twice, in `mistakes`.
void FindDuplicateNames(const std::vector<Experiment>& experiments, int line,
                        std::vector<Mistake>& mistakes);

core::Parameters ParametersOf(const Experiment& experiment);

/// "r=16,alpha=32,lr=1e-04": the user's own texts.
std::string Describe(const Experiment& experiment);

}  // namespace ebb::sweep
