#include "app/sweep/sweep_budgets.h"

#include <algorithm>

#include "base/text.h"
#include "config/run/train_config.h"
#include "core/options/job_options.h"
#include "core/options/shared_fields.h"
#include "platform/file.h"
#include "report/run/budget_file.h"

namespace ebb::app {
namespace {

// `prefix` stands before the flag of the field.
Result<std::optional<double>> LimitOf(const FlagValues& flags, const std::string& prefix,
                                      const core::Field& field) {
  const auto given = flags.find(prefix + field.flag.name);
  if (given == flags.end()) return std::optional<double>();
  const auto value = core::ParseOption(field, given->second);
  if (value) return std::optional(std::get<double>(*value));
  return Fail({ExitCode::kUsage,
               "--" + given->first + ": \"" + given->second + "\" is not accepted", "",
               "give " + value.error().what});
}

Status ReadLimits(const FlagValues& flags, const std::string& prefix, core::Budget& budget) {
  EBB_ASSIGN_OR_RETURN(const auto kwh, LimitOf(flags, prefix, core::BudgetEnergyField()));
  EBB_ASSIGN_OR_RETURN(const auto grams, LimitOf(flags, prefix, core::BudgetEmissionsField()));
  if (kwh) budget.energy = Energy::Joules(*kwh * 3.6e6);
  if (grams) budget.emissions = Emissions{*grams};
  return {};
}

Status ReadAction(const FlagValues& flags, const core::Submission& common, core::Budget& budget) {
  const auto given = flags.find("budget-action");
  if (given != flags.end()) {
    const auto action = core::BudgetActionFromName(given->second);
    if (!action)
      return Fail({ExitCode::kUsage, "--budget-action: \"" + given->second + "\" is not accepted",
                   "", "stop, pause or log"});
    if (budget.empty())
      return Fail({ExitCode::kUsage, "--budget-action has no meaning without a budget", "",
                   "give --budget-kwh or --budget-g"});
    budget.action = *action;
  }
  if (budget.action == core::BudgetAction::kPause && !common.job.checkpointable)
    return Fail({ExitCode::kUsage, "--budget-action: pause is for programs that write checkpoints",
                 "", "set checkpointable in the sweep file, or take stop"});
  return {};
}

}  // namespace

Result<core::Budget> ExperimentBudget(const core::Submission& common, const FlagValues& flags) {
  core::Budget budget = common.budget;
  EBB_RETURN_IF_ERROR(ReadLimits(flags, "", budget));
  EBB_RETURN_IF_ERROR(ReadAction(flags, common, budget));
  return budget;
}

Result<core::Budget> WholeBudget(const sweep::Sweep& sweep, const FlagValues& flags) {
  core::Budget budget = sweep.budget;
  EBB_RETURN_IF_ERROR(ReadLimits(flags, "sweep-", budget));
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

Result<core::BudgetRecord> ReadSweepBudget(const SweepPaths& paths) {
  core::BudgetRecord record;
  std::error_code ignored;
  if (!std::filesystem::exists(paths.budget(), ignored)) return record;
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(paths.budget()));
  // A kill may leave a half-written line; its event is recorded again.
  for (const std::string_view line : Split(text, '\n'))
    if (!line.empty()) std::ignore = report::AddBudgetLine(line, paths.budget().string(), record);
  return record;
}

}  // namespace ebb::app
