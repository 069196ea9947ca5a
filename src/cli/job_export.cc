#include "cli/job_export.h"

#include <algorithm>
#include <set>

#include "cli/run_files.h"
#include "report/run_directory.h"
#include "store/engine_setup.h"
#include "store/job_records.h"
#include "store/ledger_records.h"
#include "store/signal_records.h"
#include "sweep/target_name.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;

// What the store knows of one job.
struct StoredJob {
  store::JobRecord record;
  core::Submission submission;
  std::vector<store::AttemptRecord> attempts;
  std::vector<core::LedgerRow> rows;
};

Result<StoredJob> ReadJob(store::Database& database, core::JobId id) {
  const std::string where = "job " + std::to_string(id);
  StoredJob job;
  EBB_ASSIGN_OR_RETURN(auto record, store::FindJob(database, id));
  EBB_ASSIGN_OR_RETURN(auto submission, store::FindSubmission(database, id));
  if (!record || !submission)
    return Fail({ExitCode::kUsage, "is not known", where, "ebb queue --all lists the jobs"});
  job.record = *std::move(record);
  job.submission = *std::move(submission);
  EBB_ASSIGN_OR_RETURN(job.attempts, store::AttemptsOf(database, id));
  EBB_ASSIGN_OR_RETURN(job.rows, store::LedgerOf(database, id));
  if (job.rows.empty())
    return Fail({ExitCode::kUsage, "has used nothing yet", where, "ebb explain says when it runs"});
  return job;
}

// A service has one site, and with it one signal.
Result<core::SignalIdentity> SignalOf(store::Database& database) {
  core::SignalIdentity identity;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT zone, kind, boundary, source FROM signal_history ORDER BY begin_ms DESC LIMIT 1", {},
      [&](const store::Row& row) -> Status {
        identity.zone = row.Text(0);
        identity.kind = core::SignalKindFromName(row.Text(1)).value_or(identity.kind);
        identity.boundary = core::BoundaryFromName(row.Text(2)).value_or(identity.boundary);
        identity.source = row.Text(3);
        return {};
      }));
  return identity;
}

core::GridClockSettings ClockOf(const StoredJob& job) {
  core::GridClockSettings clock;
  const core::LedgerRow& row = job.rows.back();
  clock.replayed = row.wall != row.grid;
  clock.begin = job.record.submitted;
  if (clock.replayed && row.wall.length() > Duration::zero())
    clock.speed = Seconds(row.grid.length()) / Seconds(row.wall.length());
  return clock;
}

std::vector<std::string> MetersOf(const std::vector<core::LedgerRow>& rows) {
  std::set<std::string> meters;
  for (const core::LedgerRow& row : rows)
    meters.insert(row.device + ": " + std::string(core::Name(row.source)));
  return {meters.begin(), meters.end()};
}

core::RunSpec SpecOf(const StoredJob& job, const std::string& policy,
                     const core::SignalIdentity& signal) {
  const core::Job& submitted = job.submission.job;
  core::RunSpec spec;
  spec.run_id = "job-" + std::to_string(job.record.id);
  spec.name = job.record.name;
  spec.group = job.record.name;
  spec.command = job.submission.command;
  spec.created_wall = job.rows.front().wall.begin;
  spec.policy = policy;
  spec.threshold = submitted.threshold;
  spec.submitted = job.record.submitted;
  // Without a deadline it could have started at any time up to when it did.
  spec.start_by = submitted.start_by.value_or(job.record.first_start.value_or(spec.submitted));
  spec.estimated_run_time = submitted.run_time;
  spec.clock = ClockOf(job);
  spec.signal = signal;
  spec.pue = job.rows.front().pue;
  spec.meters = MetersOf(job.rows);
  return spec;
}

core::AttemptOutcome OutcomeOf(const std::string& phase) {
  if (phase == "succeeded") return core::AttemptOutcome::kDone;
  if (phase == "paused") return core::AttemptOutcome::kPaused;
  if (phase == "failed") return core::AttemptOutcome::kFailed;
  if (phase == "cancelled") return core::AttemptOutcome::kKilled;
  if (phase == "start_failed") return core::AttemptOutcome::kNotStarted;
  return core::AttemptOutcome::kRunning;
}

Status WriteAttempt(const StoredJob& job, const store::AttemptRecord& stored,
                    report::RunDirectory& directory) {
  core::Attempt attempt;
  attempt.number = stored.attempt;
  attempt.outcome = OutcomeOf(stored.phase);
  attempt.exit_code = stored.exit_code;
  attempt.wall = {Time::max(), Time::min()};
  attempt.grid = attempt.wall;
  for (const core::LedgerRow& row : job.rows) {
    if (row.attempt != stored.attempt) continue;
    attempt.wall = {std::min(attempt.wall.begin, row.wall.begin),
                    std::max(attempt.wall.end, row.wall.end)};
    attempt.grid = {std::min(attempt.grid.begin, row.grid.begin),
                    std::max(attempt.grid.end, row.grid.end)};
  }
  if (attempt.wall.begin == Time::max()) return {};  // it used nothing
  EBB_RETURN_IF_ERROR(directory.BeginAttempt(attempt));
  if (attempt.outcome == core::AttemptOutcome::kRunning) return {};
  return directory.EndAttempt(attempt);
}

Status WriteSignal(store::Database& database, const StoredJob& job, const core::RunSpec& spec,
                   report::RunDirectory& directory) {
  Time end = spec.start_by + spec.estimated_run_time;
  for (const core::LedgerRow& row : job.rows) end = std::max(end, row.grid.end);
  const Duration length = end - job.rows.front().grid.begin;
  EBB_ASSIGN_OR_RETURN(
      const core::IntensitySeries signal,
      store::SignalHistory(database, spec.signal,
                           {spec.submitted, std::max(end, spec.start_by + length)}));
  return directory.WriteSignal(signal);
}

// What the program wrote is beside the job, not in the store.
Status CopyProgress(const fs::path& from, const fs::path& to) {
  for (const char* name : {report::kProgressFile, report::kTrainResultFile}) {
    std::error_code error;
    if (!fs::exists(from / name, error)) continue;
    fs::copy_file(from / name, to / name, error);
    if (error)
      return Fail({ExitCode::kUnavailable, "cannot be copied: " + error.message(),
                   (from / name).string(), ""});
  }
  return {};
}

}  // namespace

Result<fs::path> ExportJob(store::Database& database, core::JobId id, const fs::path& directory) {
  EBB_ASSIGN_OR_RETURN(const StoredJob job, ReadJob(database, id));
  EBB_ASSIGN_OR_RETURN(const auto setup, store::GetEngineSetup(database));
  EBB_ASSIGN_OR_RETURN(const core::SignalIdentity signal, SignalOf(database));
  const core::RunSpec spec = SpecOf(job, setup ? setup->policy : "", signal);
  const fs::path path = directory / (sweep::FileName(job.record.name) + "-" + std::to_string(id));
  EBB_ASSIGN_OR_RETURN(report::RunDirectory run, report::RunDirectory::Create(path, spec));
  for (const store::AttemptRecord& attempt : job.attempts)
    EBB_RETURN_IF_ERROR(WriteAttempt(job, attempt, run));
  EBB_RETURN_IF_ERROR(run.AppendRows(job.rows));
  EBB_RETURN_IF_ERROR(WriteSignal(database, job, spec, run));
  EBB_RETURN_IF_ERROR(
      CopyProgress(database.path().parent_path() / "jobs" / std::to_string(id), path));
  EBB_ASSIGN_OR_RETURN(const RunViews views, WriteViews(path));
  return path;
}

}  // namespace ebb::cli
