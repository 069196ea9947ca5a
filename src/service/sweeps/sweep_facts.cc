#include "service/sweeps/sweep_facts.h"

#include <algorithm>

#include "engine/state.h"
#include "report/run/run_directory.h"

namespace ebb::service {
namespace {

using report::SweepOutcome;

constexpr int kAllJobs = 1'000'000'000;

SweepOutcome OutcomeOf(engine::Stage stage, bool stopped) {
  switch (stage) {
    case engine::Stage::kWaiting:
      return SweepOutcome::kWaiting;
    case engine::Stage::kPaused:
      return SweepOutcome::kPaused;
    case engine::Stage::kSucceeded:
      return SweepOutcome::kDone;
    case engine::Stage::kFailed:
      return SweepOutcome::kFailed;
    case engine::Stage::kCancelled:
      return stopped ? SweepOutcome::kStoppedEarly : SweepOutcome::kCancelled;
    default:
      return SweepOutcome::kRunning;
  }
}

// The store does not tell how long a job was frozen, because its attempt went on.
std::optional<Duration> RanFor(const store::JobRecord& job, const store::AttemptSums& attempts) {
  const bool was_frozen = job.pauses > attempts.paused;
  const bool end_is_lost = engine::HasEnded(job.stage) && attempts.open > 0;
  return was_frozen || end_is_lost ? std::nullopt : attempts.ran;
}

report::SweepRow RowOf(const store::JobRecord& job, const SweepFacts& facts) {
  report::SweepRow row;
  row.job = job.id;
  row.name = job.name;
  row.tier = job.tier;
  const bool stopped =
      std::any_of(facts.rungs.begin(), facts.rungs.end(),
                  [&](const store::RungLoss& loss) { return loss.job == job.id && loss.stopped; });
  row.outcome = OutcomeOf(job.stage, stopped);
  if (const auto loss = facts.losses.find(job.id); loss != facts.losses.end()) {
    row.loss = loss->second.loss;
    row.loss_is_validation = loss->second.is_validation;
    row.epochs = loss->second.epoch;
  }
  if (const auto parameters = facts.parameters.find(job.id); parameters != facts.parameters.end())
    row.parameters = parameters->second;
  row.energy = job.energy;
  row.work = job.work;
  row.emissions = job.emissions_of_all();
  if (job.first_start) row.waited = *job.first_start - job.submitted;
  if (const auto attempts = facts.attempts.find(job.id); attempts != facts.attempts.end()) {
    row.attempts = attempts->second.attempts;
    row.ran = RanFor(job, attempts->second);
  }
  row.note = job.detail;
  if (const auto step = facts.diverged.find(job.id); step != facts.diverged.end())
    report::SayDiverged(row, step->second);
  else if (const auto notices = facts.notices.find(job.id); notices != facts.notices.end())
    report::SayNotices(row, notices->second);
  return row;
}

}  // namespace

SavedByHalving SavedBy(const std::vector<store::RungLoss>& rungs) {
  SavedByHalving saved;
  for (const store::RungLoss& loss : rungs) {
    if (!loss.stopped) continue;
    ++saved.stopped;
    saved.energy += loss.saved_energy.value_or(Energy{});
    saved.emissions += loss.saved.value_or(Emissions{});
  }
  return saved;
}

report::SweepReport SweepReportOf(const SweepFacts& facts) {
  report::SweepReport report;
  report.number = facts.sweep.id;
  report.name = facts.sweep.name;
  for (const store::JobRecord& job : facts.jobs) {
    report.rows.push_back(RowOf(job, facts));
    report.energy += job.energy;
    report.emissions += job.emissions.value_or(Emissions{});
  }
  const SavedByHalving saved = SavedBy(facts.rungs);
  report.stopped_early = saved.stopped;
  report.saved_energy = saved.energy;
  report.saved_emissions = saved.emissions;
  report::Rank(report);
  return report;
}

Result<std::optional<SweepFacts>> ReadSweepFacts(store::Database& database, core::SweepId id,
                                                 Time now) {
  SweepFacts facts;
  EBB_ASSIGN_OR_RETURN(auto sweep, store::FindSweep(database, id));
  if (!sweep) return std::nullopt;
  facts.sweep = *std::move(sweep);
  store::JobFilter filter;
  filter.sweep = id;
  filter.limit = kAllJobs;
  EBB_ASSIGN_OR_RETURN(facts.jobs, store::ListJobs(database, filter));
  std::reverse(facts.jobs.begin(), facts.jobs.end());
  EBB_ASSIGN_OR_RETURN(facts.attempts, store::AttemptSumsOf(database, id, now));
  EBB_ASSIGN_OR_RETURN(facts.parameters, store::ParametersOf(database, id));
  EBB_ASSIGN_OR_RETURN(facts.rungs, store::RungLossesOf(database, id));
  return std::optional(std::move(facts));
}

void ReadLosses(SweepFacts& facts,
                const std::function<std::filesystem::path(core::JobId)>& directory_of) {
  for (const auto& [job, attempts] : facts.attempts) {
    const auto progress = directory_of(job) / report::kProgressFile;
    if (const auto loss = report::LastEpochLoss(progress)) facts.losses[job] = *loss;
    if (const auto step = report::DivergedAt(progress)) facts.diverged[job] = *step;
    facts.notices[job] = report::TrainNotices(directory_of(job));
  }
}

}  // namespace ebb::service
