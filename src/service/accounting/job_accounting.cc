#include "service/accounting/job_accounting.h"

#include <algorithm>

#include "local/files/attempt_files.h"
#include "platform/path_facts.h"

namespace ebb::service {
JobFigures& JobAccounting::FiguresOf(core::JobId job) {
  const auto [found, is_new] = figures_.try_emplace(job);
  if (is_new) {
    if (const auto sums = store_.ledgers().SumsOf(job)) found->second.SetSums(*sums);
    if (const auto work = store_.jobs().WorkOf(job)) found->second.work = *work;
  }
  return found->second;
}

Status JobAccounting::Rows(core::JobId job, std::span<const core::LedgerRow> rows) {
  JobFigures& figures = FiguresOf(job);
  // Energy of a job at another site is no part of what this machine uses.
  const auto is_here = [&](int attempt) {
    return !directory_of_ ||
           !platform::Exists(local::AttemptPaths{directory_of_(job), attempt}.site());
  };
  const bool counts_here = follows_machine_ && !rows.empty() && is_here(rows.front().attempt);
  for (const core::LedgerRow& row : rows) {
    counters_.AddRow(row);
    if (counts_here) machine_.AddJob(row);
    figures.Add(row);
  }
  ReadWork(job);
  changed_.insert(job);
  on_rows_(job, rows);
  store_.AddLedger({job, {rows.begin(), rows.end()}});
  return {};
}

// The energy and the work of a job are read at the same moments. A program that goes on from a
// checkpoint is behind what it has done before for a while.
void JobAccounting::ReadWork(core::JobId job) {
  if (!directory_of_) return;
  const auto [tail, is_new] = work_.try_emplace(job, directory_of_(job) / core::kProgressFile);
  JobFigures& figures = FiguresOf(job);
  figures.work = core::Furthest(figures.work, tail->second.Read());
  figures.share = tail->second.share();
}

void JobAccounting::AddMachine(const core::MachineShares& shares) {
  counters_.machine.Add(shares);
  store_.AddMachineShares(shares);
}

// Neighbouring intervals of one device become one row of the store, which keeps the store small.
bool JobAccounting::FollowMachine(std::vector<core::MachineShares> readings, Time upto) {
  for (core::MachineShares& reading : readings) machine_.AddMachine(std::move(reading));
  std::map<std::string, core::MachineShares> joined;
  for (core::MachineShares& shares : machine_.Close(upto)) {
    counters_.machine.Add(shares);
    const auto [found, is_new] = joined.try_emplace(shares.device, shares);
    core::MachineShares& whole = found->second;
    if (is_new) continue;
    if (whole.wall.end != shares.wall.begin)
      store_.AddMachineShares(std::exchange(whole, shares));
    else
      whole.Join(shares);
  }
  for (const auto& [device, shares] : joined) store_.AddMachineShares(shares);
  return !joined.empty();
}

void JobAccounting::End(core::JobId job, const local::AttemptResult& result) {
  for (const std::string& warning : result.warnings) events_.Say(job, warning);
  ReadWork(job);
  if (const core::Work& work = FiguresOf(job).work; !work.empty()) {
    changed_.insert(job);
    store_.SetWork(job, work);
  }
  on_end_(job, result.attempt);
}

local::StoredBefore JobAccounting::StoredBefore(core::JobId job, int attempt) {
  local::StoredBefore stored;
  if (const auto heard = budget_events_.find(job); heard != budget_events_.end())
    stored.budget_events = heard->second;
  else if (const auto notes = store_.jobs().NotesOf(job))
    stored.budget_events = notes->budget_heard;
  if (auto up_to = store_.ledgers().StoredUpTo(job, attempt)) stored.up_to = *std::move(up_to);
  // A ledger may be long, and only a budget needs its sum.
  const auto submission = store_.jobs().FindSubmission(job);
  if (!submission || !*submission || (*submission)->budget.empty()) return stored;
  if (const auto rows = store_.ledgers().RowsOf(job)) stored.used = core::UseOf(*rows);
  return stored;
}

bool JobAccounting::EndIsStored(core::JobId job, int attempt) {
  const auto stored = store_.jobs().EndIsStored(job, attempt);
  return stored && *stored;
}

void JobAccounting::HeardOfBudget(core::JobId job, std::size_t events) {
  budget_events_[job] = events;
  store_.SetBudgetHeard(job, events);
}

std::map<core::JobId, JobFigures> JobAccounting::TakeChanged() {
  std::map<core::JobId, JobFigures> changed;
  for (const core::JobId job : std::exchange(changed_, {})) changed[job] = figures_[job];
  return changed;
}

}  // namespace ebb::service
