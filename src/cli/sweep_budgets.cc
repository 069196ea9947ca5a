#include "cli/sweep_budgets.h"

#include <algorithm>

#include "base/text.h"
#include "config/train_config.h"

namespace ebb::cli {
namespace {

const std::vector<std::string> kActions{"stop", "pause", "log"};

Result<std::optional<double>> LimitOf(const FlagValues& flags, const std::string& name,
                                      double largest) {
  const auto given = flags.find(name);
  if (given == flags.end()) return std::optional<double>();
  const auto number = ParseNumber(given->second);
  if (number && *number >= config::kLeastBudget && *number <= largest) return number;
  return Fail(
      {ExitCode::kUsage, "--" + name + ": \"" + given->second + "\" is not accepted", "",
       "give a number from " + FormatExact(config::kLeastBudget) + " to " + FormatExact(largest)});
}

Status ReadAction(const FlagValues& flags, const sweep::JobTraits& traits, core::Budget& budget) {
  const auto given = flags.find("budget-action");
  if (given != flags.end()) {
    const auto action = core::BudgetActionFromName(given->second);
    if (!action)
      return Fail({ExitCode::kUsage,
                   "--budget-action: \"" + given->second + "\" is not accepted" +
                       SuggestionText(given->second, kActions),
                   "", "stop, pause or log"});
    if (budget.empty())
      return Fail({ExitCode::kUsage, "--budget-action has no meaning without a budget", "",
                   "give --budget-kwh or --budget-g"});
    budget.action = *action;
  }
  if (budget.action == core::BudgetAction::kPause && !traits.pausable)
    return Fail({ExitCode::kUsage, "--budget-action: pause is for programs that write checkpoints",
                 "", "set pausable in the sweep file, or take stop"});
  return {};
}

}  // namespace

Result<core::Budget> ExperimentBudget(const sweep::JobTraits& traits, const FlagValues& flags) {
  core::Budget budget = traits.budget;
  EBB_ASSIGN_OR_RETURN(const auto kwh, LimitOf(flags, "budget-kwh", config::kLargestBudgetKwh));
  EBB_ASSIGN_OR_RETURN(const auto grams, LimitOf(flags, "budget-g", config::kLargestBudgetG));
  if (kwh) budget.energy = Energy::Joules(*kwh * 3.6e6);
  if (grams) budget.emissions = Emissions{*grams};
  EBB_RETURN_IF_ERROR(ReadAction(flags, traits, budget));
  return budget;
}

const core::BudgetEvent* HeldBy(const std::vector<core::BudgetEvent>& events,
                                const core::Budget& budget) {
  if (budget.action == core::BudgetAction::kLog) return nullptr;
  const auto holds = [&](const core::BudgetEvent& event) {
    const auto limit = budget.Limit(event.measure);
    return event.level == core::BudgetLevel::kReached &&
           event.action == core::BudgetAction::kPause && limit && *limit <= event.limit;
  };
  const auto found = std::find_if(events.begin(), events.end(), holds);
  return found == events.end() ? nullptr : &*found;
}

Status HoldOrRelease(const SweepPaths& paths, const sweep::Sweep& sweep, const core::Budget& budget,
                     const engine::State& state, SweepSubmissions& submissions) {
  for (const sweep::Experiment& experiment : sweep.experiments) {
    const bool held = state.FindHeld(experiment.index) != nullptr;
    const std::filesystem::path run = paths.RunOf(experiment);
    if ((!held && !state.FindLive(experiment.index)) || !report::HoldsRun(run)) continue;
    EBB_ASSIGN_OR_RETURN(const core::RunRecord record, report::ReadRun(run));
    const bool hold = HeldBy(record.budget.events, budget) != nullptr;
    if (hold != held)
      submissions.Wish(experiment.index, hold ? engine::Wish::kHold : engine::Wish::kNone);
  }
  return {};
}

}  // namespace ebb::cli
