#include "service/sweeps/sweep_budget_watch.h"

#include <algorithm>

namespace ebb::service {
namespace {

std::string WhyHeld(const core::SweepId sweep) {
  return "held by the budget of sweep " + std::to_string(sweep);
}

// A budget of a sweep holds until it is replaced, so its action is to stop, whatever was asked for.
core::Budget Stopping(core::Budget budget) {
  budget.action = core::BudgetAction::kStop;
  return budget;
}

}  // namespace

void SweepBudgetWatch::Begin(const store::SweepRecord& sweep) {
  if (!sweep.budget.empty()) std::ignore = Watch(sweep, {});
}

Status SweepBudgetWatch::Watch(const store::SweepRecord& record, core::BudgetUse used_before) {
  EBB_ASSIGN_OR_RETURN(std::vector<core::BudgetEvent> fired,
                       ports_.store.sweeps().BudgetEventsOf(record.id));
  const auto events = static_cast<std::int64_t>(fired.size());
  Watched watched{record, events,
                  runtime::BudgetWatch({Stopping(record.budget), used_before, std::move(fired), 1,
                                        ports_.pue, ports_.sample_interval})};
  sweeps_.insert_or_assign(record.id, std::move(watched));
  return {};
}

// Reads a sweep from the store: one of an earlier life, or one whose experiments had all ended.
Status SweepBudgetWatch::TakeUp(core::SweepId id) {
  EBB_ASSIGN_OR_RETURN(const auto record, ports_.store.sweeps().Find(id));
  if (!record || record->budget.empty()) return {};
  EBB_ASSIGN_OR_RETURN(const core::BudgetUse used, ports_.store.sweeps().UseOf(id));
  return Watch(*record, used);
}

Status SweepBudgetWatch::Add(const core::Submission& submission) {
  if (submission.sweep == 0) return {};
  if (!sweeps_.contains(submission.sweep)) EBB_RETURN_IF_ERROR(TakeUp(submission.sweep));
  const auto sweep = sweeps_.find(submission.sweep);
  if (sweep == sweeps_.end()) return {};
  const core::JobId job = submission.job.id;
  sweep->second.members.insert(job);
  member_of_[job] = submission.sweep;
  if (ports_.jobs.WhyHeld(job) == WhyHeld(submission.sweep)) sweep->second.held[job] = 0;
  return {};
}

void SweepBudgetWatch::End(core::JobId job) {
  const auto member = member_of_.find(job);
  if (member == member_of_.end()) return;
  Watched& sweep = sweeps_.at(member->second);
  sweep.members.erase(job);
  sweep.held.erase(job);
  member_of_.erase(member);
}

void SweepBudgetWatch::Count(core::JobId job, std::span<const core::LedgerRow> rows) {
  const auto member = member_of_.find(job);
  if (member == member_of_.end() || rows.empty()) return;
  Watched& sweep = sweeps_.at(member->second);
  sweep.used += core::UseOf({rows.begin(), rows.end()});
  sweep.intensity = rows.back().intensity;
}

void SweepBudgetWatch::Look(std::span<const local::SupervisedFigures> running) {
  struct Now {
    Power power;
    std::map<core::JobId, int> attempts;
  };
  std::map<core::SweepId, Now> sweeps;
  for (const local::SupervisedFigures& program : running) {
    const auto member = member_of_.find(program.job);
    if (member == member_of_.end()) continue;
    Now& now = sweeps[member->second];
    now.power.watts += program.figures.power.watts;
    now.attempts[program.job] = program.attempt;
  }
  const Time wall = ports_.clock.wall().Now();
  for (const auto& [id, now] : sweeps) {
    Watched& sweep = sweeps_.at(id);
    const runtime::BudgetStep step =
        sweep.watch.OnSample({wall, ports_.clock.ToGrid(wall), ports_.clock.wall().SinceBoot(),
                              sweep.used, now.power, sweep.intensity});
    Take(sweep, step.events);
    if (sweep.watch.asked_to_end()) HoldAll(sweep, now.attempts);
  }
}

void SweepBudgetWatch::HoldAll(Watched& sweep, const std::map<core::JobId, int>& running) {
  for (const core::JobId job : sweep.members) {
    const auto runs = running.find(job);
    const int attempt = runs == running.end() ? 0 : runs->second;
    const auto [held, is_new] = sweep.held.try_emplace(job, attempt);
    if (!is_new && attempt <= held->second) continue;
    held->second = attempt;
    ports_.jobs.Hold(job, WhyHeld(sweep.record.id));
  }
}

void SweepBudgetWatch::Take(Watched& sweep, const std::vector<core::BudgetEvent>& events) {
  for (const core::BudgetEvent& event : events) {
    // Experiments end within their own grace periods, so no kill is told of the sweep.
    if (event.level == core::BudgetLevel::kKilled) continue;
    ports_.events.Say(0, "sweep " + std::to_string(sweep.record.id) + ", " + sweep.record.name +
                             ": " + core::BudgetText(event));
    ports_.store.AddSweepBudgetEvent(sweep.record.id, ++sweep.events, event);
  }
}

// Experiments that have not ended, by the view that is published.
std::set<core::JobId> SweepBudgetWatch::LiveOf(core::SweepId sweep) const {
  std::set<core::JobId> jobs;
  ports_.publisher.Latest()->jobs.ForEach(0, [&](const JobCard& card) {
    if (card.submission->sweep == sweep && !engine::HasEnded(card.explanation.stage))
      jobs.insert(card.submission->job.id);
    return true;
  });
  return jobs;
}

Status SweepBudgetWatch::Change(core::SweepId id, const core::Budget& budget) {
  // The use is summed up from the store, so it must all be there.
  EBB_RETURN_IF_ERROR(ports_.store.Commit());
  EBB_ASSIGN_OR_RETURN(auto record, ports_.store.sweeps().Find(id));
  if (!record)
    return Fail({ExitCode::kUsage, "is not known", "sweep " + std::to_string(id),
                 "ebb queue --sweeps lists them"});
  EBB_ASSIGN_OR_RETURN(const core::BudgetUse used, ports_.store.sweeps().UseOf(id));
  record->budget = budget;
  EBB_ASSIGN_OR_RETURN(const auto events, ports_.store.sweeps().BudgetEventsOf(id));
  const core::BudgetRecord before{budget, events};
  if (const core::BudgetEvent* stopped = core::StoppedBy(before, Stopping(budget)))
    return Fail({ExitCode::kUsage, "was used up at " + core::LimitText(*stopped),
                 "the budget of sweep " + std::to_string(id), "give it more than that"});
  ports_.store.SetSweepBudget(id, budget);
  std::map<core::JobId, int> held;
  if (const auto known = sweeps_.find(id); known != sweeps_.end())
    held = std::move(known->second.held);
  sweeps_.erase(id);
  std::erase_if(member_of_, [&](const auto& member) { return member.second == id; });
  if (!budget.empty()) {
    EBB_RETURN_IF_ERROR(Watch(*record, used));
    Watched& sweep = sweeps_.at(id);
    sweep.members = LiveOf(id);
    for (const core::JobId job : sweep.members) member_of_[job] = id;
  }
  for (const auto& [job, attempt] : held) ports_.jobs.Release(job);
  return {};
}

}  // namespace ebb::service
