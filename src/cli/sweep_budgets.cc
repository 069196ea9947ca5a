#include "cli/sweep_budgets.h"

#include <algorithm>

#include "base/text.h"
#include "config/train_config.h"
#include "report/budget_file.h"

namespace ebb::cli {
namespace {

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

Status ReadLimits(const FlagValues& flags, const std::string& prefix, core::Budget& budget) {
  EBB_ASSIGN_OR_RETURN(const auto kwh,
                       LimitOf(flags, prefix + "budget-kwh", config::kLargestBudgetKwh));
  EBB_ASSIGN_OR_RETURN(const auto grams,
                       LimitOf(flags, prefix + "budget-g", config::kLargestBudgetG));
  if (kwh) budget.energy = Energy::Joules(*kwh * 3.6e6);
  if (grams) budget.emissions = Emissions{*grams};
  return {};
}

Status ReadAction(const FlagValues& flags, const sweep::JobTraits& traits, core::Budget& budget) {
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
  if (budget.action == core::BudgetAction::kPause && !traits.pausable)
    return Fail({ExitCode::kUsage, "--budget-action: pause is for programs that write checkpoints",
                 "", "set pausable in the sweep file, or take stop"});
  return {};
}

}  // namespace

Result<core::Budget> ExperimentBudget(const sweep::JobTraits& traits, const FlagValues& flags) {
  core::Budget budget = traits.budget;
  EBB_RETURN_IF_ERROR(ReadLimits(flags, "", budget));
  EBB_RETURN_IF_ERROR(ReadAction(flags, traits, budget));
  return budget;
}

Result<core::Budget> WholeBudget(const FlagValues& flags) {
  core::Budget budget;
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

// All of them --------------------------------------------------------------------------------

Result<core::BudgetRecord> ReadSweepBudget(const SweepPaths& paths) {
  core::BudgetRecord record;
  std::error_code ignored;
  if (!std::filesystem::exists(paths.budget(), ignored)) return record;
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(paths.budget()));
  // A kill may leave a line half written: what it said is said again.
  for (const std::string_view line : Split(text, '\n'))
    if (!line.empty()) std::ignore = report::AddBudgetLine(line, paths.budget().string(), record);
  return record;
}

SweepBudget::SweepBudget(std::filesystem::path file, runtime::BudgetWatch::Terms terms,
                         SweepRecords::Say say)
    : file_(std::move(file)), say_(std::move(say)), watch_(std::move(terms)) {}

Result<SweepBudget> SweepBudget::Open(const SweepPaths& paths, const sweep::Sweep& sweep,
                                      Terms terms, SweepRecords::Say say) {
  EBB_ASSIGN_OR_RETURN(core::BudgetRecord record, ReadSweepBudget(paths));
  if (const core::BudgetEvent* stopped = core::StoppedBy(record, terms.budget))
    return Fail({ExitCode::kUsage,
                 "the sweep was stopped by its budget of " + core::LimitText(*stopped),
                 paths.directory.string(),
                 std::string("raise it to go on: --sweep-budget-") +
                     (stopped->measure == core::BudgetMeasure::kEnergy ? "kwh" : "g")});
  runtime::BudgetWatch::Terms watch{
      terms.budget, {}, std::move(record.events), 1, terms.pue, terms.sample_interval};
  for (const sweep::Experiment& experiment : sweep.experiments) {
    const std::filesystem::path run = paths.RunOf(experiment);
    if (!report::HoldsRun(run)) continue;
    EBB_ASSIGN_OR_RETURN(const core::RunRecord kept, report::ReadRun(run));
    watch.used_before += core::UseOf(kept.ledger);
  }
  EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(paths.budget()));
  EBB_RETURN_IF_ERROR(writer.Append(report::BudgetToJson(terms.budget, 1)));
  return SweepBudget(paths.budget(), std::move(watch), std::move(say));
}

void SweepBudget::Add(std::span<const core::LedgerRow> rows) {
  used_ += core::UseOf({rows.begin(), rows.end()});
  if (!rows.empty()) intensity_ = rows.back().intensity;
}

void SweepBudget::Look(Power power, const runtime::GridClock& clock) {
  const Time now = clock.wall().Now();
  const runtime::BudgetStep step =
      watch_.OnSample({now, clock.ToGrid(now), clock.wall().SinceBoot(), used_, power, intensity_});
  for (const core::BudgetEvent& event : step.events) {
    // Their grace periods end those that run.
    if (event.level == core::BudgetLevel::kKilled) continue;
    say_("the sweep: " + core::BudgetText(event));
    auto writer = platform::LineWriter::Open(file_);
    const Status kept =
        writer ? writer->Append(report::BudgetEventToJson(event)) : Status(Fail(writer.error()));
    if (!kept) say_("note: budget event not stored: " + kept.error().Message());
  }
}

}  // namespace ebb::cli
