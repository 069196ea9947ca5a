#include "app/jobs/stored_run.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "platform/file.h"
#include "platform/shared_file.h"
#include "report/run/run_json.h"
#include "store/accounts/ledger_records.h"
#include "store/accounts/signal_records.h"
#include "store/device_history.h"
#include "store/engine_setup.h"
#include "store/jobs/job_records.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestFile = 4 << 20;

// Contents of the store and of the folder of a job.
struct StoredJob {
  store::JobRecord record;
  core::Submission submission;
  std::vector<store::AttemptRecord> attempts;
  std::vector<core::LedgerRow> rows;
  fs::path directory;
};

Result<StoredJob> ReadJob(store::Database& database, core::JobId id) {
  StoredJob job;
  EBB_ASSIGN_OR_RETURN(auto record, store::FindJob(database, id));
  EBB_ASSIGN_OR_RETURN(auto submission, store::FindSubmission(database, id));
  if (!record || !submission)
    return Fail({ExitCode::kUsage, "is not known", "job " + std::to_string(id),
                 "ebb queue --all lists the jobs"});
  job.record = *std::move(record);
  job.submission = *std::move(submission);
  EBB_ASSIGN_OR_RETURN(job.attempts, store::AttemptsOf(database, id));
  EBB_ASSIGN_OR_RETURN(job.rows, store::LedgerOf(database, id));
  job.directory = JobDirectory(database.path(), id);
  return job;
}

fs::path SpecFileOf(const fs::path& directory, int attempt) {
  return directory / ("attempt-" + std::to_string(attempt) + ".run");
}

// The specification of the latest attempt that has one; nullopt if the folder has none (any more).
std::optional<core::RunSpec> LatestSpec(const StoredJob& job) {
  for (auto attempt = job.attempts.rbegin(); attempt != job.attempts.rend(); ++attempt) {
    const fs::path file = SpecFileOf(job.directory, attempt->attempt);
    const auto text = platform::ReadSharedFile(file, kLongestFile);
    if (!text) continue;
    if (auto spec = report::RunSpecFromJson(*text, file.string())) return *std::move(spec);
  }
  return std::nullopt;
}

core::GridClockSettings ClockOf(const StoredJob& job) {
  core::GridClockSettings clock;
  clock.begin = job.record.submitted;
  if (job.rows.empty()) return clock;
  const core::LedgerRow& row = job.rows.back();
  clock.replayed = row.wall != row.grid;
  if (clock.replayed && row.wall.length() > Duration::zero())
    clock.speed = Seconds(row.grid.length()) / Seconds(row.wall.length());
  return clock;
}

// Fills in what the ledger of the job shows about its measurement.
void DescribeByLedger(const StoredJob& job, core::RunSpec& spec) {
  std::set<std::string> meters;
  for (const core::LedgerRow& row : job.rows)
    meters.insert(row.device + ": " + std::string(core::Name(row.source)));
  spec.meters = {meters.begin(), meters.end()};
  spec.clock = ClockOf(job);
  if (job.rows.empty()) return;
  spec.created_wall = job.rows.front().wall.begin;
  spec.pue = job.rows.front().pue;
}

core::RunSpec SpecOf(const StoredJob& job, const std::string& policy,
                     const core::SignalIdentity& signal) {
  const core::Job& submitted = job.submission.job;
  core::RunSpec spec;
  if (auto measured = LatestSpec(job))
    spec = *std::move(measured);
  else
    DescribeByLedger(job, spec);
  spec.run_id = "job-" + std::to_string(job.record.id);
  spec.name = job.record.name;
  spec.group = job.record.name;
  spec.command = job.submission.command;
  spec.policy = policy;
  spec.threshold = submitted.threshold;
  spec.submitted = job.record.submitted;
  spec.start_by = submitted.start_by;
  spec.duration = submitted.duration;
  spec.clock.begin = spec.submitted;
  spec.signal = signal;
  return spec;
}

core::AttemptOutcome OutcomeOf(const store::AttemptRecord& stored) {
  const std::string& phase = stored.phase;
  if (phase == "succeeded") return core::AttemptOutcome::kDone;
  if (phase == "paused") return core::AttemptOutcome::kPaused;
  if (phase == "failed") return core::AttemptOutcome::kFailed;
  if (phase == "cancelled") return core::AttemptOutcome::kKilled;
  // The attempt used energy, so it did start; its end was lost.
  if (phase == "start_failed") return core::AttemptOutcome::kKilled;
  return core::AttemptOutcome::kRunning;
}

// A stored attempt; nullopt if it used nothing. The folder knows more than the store: the exact
// times, and how busy the machine was.
std::optional<core::Attempt> AttemptOf(const StoredJob& job, const store::AttemptRecord& stored) {
  core::Attempt attempt;
  attempt.wall = attempt.grid = {Time::max(), Time::min()};
  for (const core::LedgerRow& row : job.rows) {
    if (row.attempt != stored.attempt) continue;
    attempt.wall = {std::min(attempt.wall.begin, row.wall.begin),
                    std::max(attempt.wall.end, row.wall.end)};
    attempt.grid = {std::min(attempt.grid.begin, row.grid.begin),
                    std::max(attempt.grid.end, row.grid.end)};
  }
  if (attempt.wall.begin == Time::max()) return std::nullopt;
  const local::AttemptPaths paths{job.directory, stored.attempt};
  const auto plan = local::ReadPlan(paths.plan());
  const auto end = local::ReadEnd(paths, plan ? plan->end_key : "");
  if (end && *end) {
    const Interval grid = attempt.grid;
    const bool replayed = attempt.wall != attempt.grid;
    attempt = (*end)->attempt;
    attempt.grid = replayed ? grid : attempt.wall;
  }
  attempt.number = stored.attempt;
  attempt.exit_code = stored.exit_code;
  attempt.outcome = OutcomeOf(stored);
  if (core::IsElastic(job.submission.job))
    attempt.devices = static_cast<int>(stored.devices.size());
  return attempt;
}

core::BudgetRecord BudgetOf(const StoredJob& job) {
  core::BudgetRecord record;
  if (job.submission.budget.empty()) return record;
  record.budget = job.submission.budget;
  // The service's grace period applies.
  const local::AttemptPaths last{job.directory, local::LastAttempt(job.directory)};
  if (const auto plan = local::ReadPlan(last.plan())) record.budget->grace = plan->grace;
  record.events = local::ReadBudgetEvents(job.directory);
  return record;
}

// A job that its budget stopped counts as failed; the run gives the reason.
void ExplainByBudget(core::RunRecord& run) {
  for (const core::BudgetEvent& event : run.budget.events) {
    if (event.level != core::BudgetLevel::kReached || event.action != core::BudgetAction::kStop)
      continue;
    for (core::Attempt& attempt : run.attempts)
      if (attempt.number == event.attempt && attempt.outcome == core::AttemptOutcome::kFailed)
        attempt.outcome = core::AttemptOutcome::kStoppedByBudget;
  }
}

Result<core::IntensitySeries> SignalOf(store::Database& database, const core::RunRecord& run) {
  const core::RunSpec& spec = run.spec;
  if (run.ledger.empty()) return core::IntensitySeries();
  const Time latest_start = run.latest_start();
  Time end = latest_start + spec.duration;
  for (const core::LedgerRow& row : run.ledger) end = std::max(end, row.grid.end);
  const Duration length = end - run.ledger.front().grid.begin;
  return store::SignalHistory(database, spec.signal,
                              {spec.submitted, std::max(end, latest_start + length)});
}

// The site where an attempt ran; without a name if that is not known or if there is one site.
core::Site SiteOf(const StoreFacts& facts, int pool) {
  const auto index = static_cast<std::size_t>(pool);
  return pool >= 0 && index < facts.site_of_pool.size() ? facts.site_of_pool[index] : core::Site{};
}

// The zones whose intensity is in the ledger or would have been: that of the service's own machine
// counts, because a job would have run there at its submission.
int ZonesOf(const StoredJob& job, const StoreFacts& facts) {
  std::set<std::string> zones{facts.signal.zone};
  for (const store::AttemptRecord& attempt : job.attempts)
    if (const core::Site site = SiteOf(facts, attempt.pool); !site.name.empty())
      zones.insert(site.zone);
  return static_cast<int>(zones.size());
}

// The part of the run in these attempts. Its intensities are those of `zone` (empty: the run's).
core::RunRecord PartOf(const core::RunRecord& run, const std::set<int>& attempts,
                       const std::string& zone) {
  core::RunRecord part = run;
  std::erase_if(part.attempts, [&](const auto& a) { return !attempts.contains(a.number); });
  std::erase_if(part.ledger, [&](const auto& row) { return !attempts.contains(row.attempt); });
  if (!zone.empty()) part.spec.signal.zone = zone;
  if (!part.ledger.empty()) part.spec.pue = part.ledger.front().pue;
  return part;
}

}  // namespace

fs::path JobDirectory(const fs::path& store, core::JobId job) {
  return store.parent_path() / "jobs" / std::to_string(job);
}

Status WriteAttemptSpec(const local::AttemptPaths& paths, const core::RunSpec& spec) {
  return platform::WriteFileAtomically(SpecFileOf(paths.directory, paths.attempt),
                                       report::RunSpecToJson(spec));
}

core::RunSpec SpecOf(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
                     const core::RunSpec& metering) {
  core::RunSpec spec = metering;
  // The identifier is the same for all attempts and differs between stores, whose job numbers all
  // count from 1.
  const auto first = local::ReadPlan(local::AttemptPaths{paths.directory, 1}.plan());
  spec.created_wall = first ? first->since_wall : plan.since_wall;
  spec.run_id = "job-" + std::to_string(plan.job) + "-" + FormatTime(spec.created_wall);
  std::erase(spec.run_id, ':');
  spec.name = plan.name;
  spec.group = plan.name;
  spec.command = plan.command;
  spec.submitted = plan.submitted;
  spec.start_by.reset();
  spec.clock = plan.clock;
  spec.clock.begin = plan.submitted;
  return spec;
}

Result<StoreFacts> FactsOf(store::Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto setup, store::GetEngineSetup(database));
  EBB_ASSIGN_OR_RETURN(core::SignalIdentity signal, store::LatestSignal(database));
  EBB_ASSIGN_OR_RETURN(std::vector<core::Site> sites, store::SitesOfPools(database));
  return StoreFacts{setup ? setup->policy : "", std::move(signal), std::move(sites)};
}

Result<core::RunRecord> StoredRun(store::Database& database, core::JobId id) {
  EBB_ASSIGN_OR_RETURN(const StoreFacts facts, FactsOf(database));
  return StoredRun(database, id, facts);
}

Result<core::RunRecord> StoredRun(store::Database& database, core::JobId id,
                                  const StoreFacts& facts) {
  EBB_ASSIGN_OR_RETURN(StoredJob job, ReadJob(database, id));
  core::RunRecord run;
  run.spec = SpecOf(job, facts.policy, facts.signal);
  run.spec.zones = ZonesOf(job, facts);
  for (const store::AttemptRecord& attempt : job.attempts)
    if (auto used = AttemptOf(job, attempt)) run.attempts.push_back(*used);
  run.budget = BudgetOf(job);
  ExplainByBudget(run);
  run.power_choices = local::ReadPowerChoices(JobDirectory(database.path(), id));
  run.ledger = std::move(job.rows);
  EBB_ASSIGN_OR_RETURN(run.signal, SignalOf(database, run));
  return run;
}

Result<std::vector<RunAtSite>> StoredRunBySite(store::Database& database, core::JobId id,
                                               const StoreFacts& facts) {
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, StoredRun(database, id, facts));
  std::vector<RunAtSite> parts;
  if (facts.site_of_pool.empty()) {
    parts.push_back({{}, std::move(run)});
    return parts;
  }
  EBB_ASSIGN_OR_RETURN(const auto attempts, store::AttemptsOf(database, id));
  std::vector<std::pair<core::Site, std::set<int>>> sites;  // in the order of their last attempt
  for (const store::AttemptRecord& attempt : attempts) {
    const core::Site site = SiteOf(facts, attempt.pool);
    auto known = std::find_if(sites.begin(), sites.end(),
                              [&](const auto& other) { return other.first.name == site.name; });
    if (known == sites.end()) known = sites.insert(sites.end(), {site, {}});
    known->second.insert(attempt.attempt);
    std::rotate(known, known + 1, sites.end());
  }
  for (const auto& [site, numbers] : sites) {
    core::RunRecord part = PartOf(run, numbers, site.zone);
    if (part.ledger.empty()) continue;
    EBB_ASSIGN_OR_RETURN(part.signal, SignalOf(database, part));
    parts.push_back({site, std::move(part)});
  }
  if (parts.empty()) parts.push_back({{}, std::move(run)});
  return parts;
}

}  // namespace ebb::app
