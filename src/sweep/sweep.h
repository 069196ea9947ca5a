#pragma once
// A hyper-parameter sweep: parameters as a grid or a list, the tier, run time and power of each
// configuration by rules (the first that matches wins), a name and a command. Expand turns the
// definition into experiments; all mistakes are reported at once, with their lines. Pure.
//
// The command is a list of arguments. The value of a parameter becomes one argument or a part of
// one and is never read by a shell.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/jobs/submission.h"
#include "core/jobs/tier.h"
#include "core/ledger/budget.h"
#include "sweep/condition.h"
#include "sweep/successive_halving.h"
#include "sweep/text_template.h"

namespace ebb::sweep {

/// A larger grid is probably a mistake.
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

/// The expected run time and power of a configuration, on a device of speed 1.
struct EstimateRule {
  Condition when;
  Duration duration{};
  Power power;
  int line = 0;
};

/// A random subset of the configurations: equally many of each tier, the remainder from the last
/// one.
struct Sample {
  std::size_t size = 0;
  std::uint64_t seed = 42;
  int line = 0;
};

/// A text with places for parameters, and its line in the file.
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
  /// Options common to all experiments: the options that a sweep's file may give
  /// (core/options/job_options.h), and the budget of each experiment.
  core::Submission common{};
  std::optional<HalvingOptions> halving;
  core::Budget budget{};  ///< limits for all experiments together

  const core::Tier& TierOf(const Experiment& experiment) const {
    return tiers[static_cast<std::size_t>(experiment.tier)];
  }
};

/// Time after which a run is ended: the sweep's limit if it has one, otherwise twice the estimate.
Duration TimeLimitOf(const Sweep& sweep, const Experiment& experiment);
/// Makes the job of an experiment that is submitted at `submitted`; the job's id is the
/// experiment's index.
core::Job JobOf(const Sweep& sweep, const Experiment& experiment, Time submitted);

/// The input of Expand.
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
  int line = 0;  ///< line of the parameters
};

struct Mistake {
  int line = 0;
  std::string what;
};

/// All experiments, or at least one mistake and no experiment.
struct Expansion {
  std::vector<Experiment> experiments;
  std::vector<Mistake> mistakes;
};
Expansion Expand(const Definition& definition);

/// Finds mistakes in parameters, rules and templates without expanding them.
std::vector<Mistake> Check(const Definition& definition);

/// Adds the names that occur twice to `mistakes`.
void FindDuplicateNames(const std::vector<Experiment>& experiments, int line,
                        std::vector<Mistake>& mistakes);

core::Parameters ParametersOf(const Experiment& experiment);

/// The settings as the user wrote them: "r=16,alpha=32,lr=1e-04".
std::string Describe(const Experiment& experiment);

}  // namespace ebb::sweep
