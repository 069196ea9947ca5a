#include "app/jobs/job_export.h"

#include "app/jobs/stored_run.h"
#include "app/run/run_files.h"
#include "platform/system_clock.h"
#include "report/run/run_directory.h"
#include "store/jobs/job_records.h"
#include "sweep/target_name.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

// Files of the program lie in the job's folder, not in the store.
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

Status Write(const core::RunRecord& run, report::RunDirectory& directory) {
  for (const core::Attempt& attempt : run.attempts) {
    EBB_RETURN_IF_ERROR(directory.BeginAttempt(attempt));
    if (run.budget.budget)
      EBB_RETURN_IF_ERROR(directory.AppendBudget(*run.budget.budget, attempt.number));
    if (attempt.outcome != core::AttemptOutcome::kRunning)
      EBB_RETURN_IF_ERROR(directory.EndAttempt(attempt));
  }
  for (const core::BudgetEvent& event : run.budget.events)
    EBB_RETURN_IF_ERROR(directory.AppendBudgetEvent(event));
  for (const core::PowerChoice& choice : run.power_choices)
    EBB_RETURN_IF_ERROR(local::AppendPowerChoice(directory.path(), choice));
  EBB_RETURN_IF_ERROR(directory.AppendRows(run.ledger));
  const Time now = platform::WallNow();
  return directory.WriteSignal(run.signal, now, IsFinal(run, !run.spec.clock.replayed, now));
}

}  // namespace

Result<fs::path> ExportJob(store::Database& database, core::JobId id, const fs::path& directory) {
  EBB_ASSIGN_OR_RETURN(const core::RunRecord run, StoredRun(database, id));
  EBB_ASSIGN_OR_RETURN(const auto record, store::FindJob(database, id));
  if (record && record->pruned)
    return Fail({ExitCode::kUsage, "ended long ago, and its ledger was pruned",
                 "job " + std::to_string(id), "ebb show has its sums"});
  if (run.ledger.empty())
    return Fail({ExitCode::kUsage, "has used nothing yet", "job " + std::to_string(id),
                 "ebb explain says when it runs"});
  const fs::path path = directory / (sweep::FileName(run.spec.name) + "-" + std::to_string(id));
  EBB_ASSIGN_OR_RETURN(report::RunDirectory made, report::RunDirectory::Create(path, run.spec));
  EBB_RETURN_IF_ERROR(Write(run, made));
  EBB_RETURN_IF_ERROR(CopyProgress(JobDirectory(database.path(), id), path));
  EBB_ASSIGN_OR_RETURN(const RunViews views, WriteViews(path));
  return path;
}

Status WriteRunOfJob(store::Database& database, core::JobId id, const fs::path& folder,
                     const std::optional<prices::PriceSource>& prices) {
  EBB_ASSIGN_OR_RETURN(const core::RunRecord run, StoredRun(database, id));
  if (run.ledger.empty()) return {};
  EBB_RETURN_IF_ERROR(report::RemoveRun(folder));
  EBB_ASSIGN_OR_RETURN(report::RunDirectory made, report::RunDirectory::Create(folder, run.spec));
  EBB_RETURN_IF_ERROR(Write(run, made));
  if (prices) EBB_RETURN_IF_ERROR(StorePrices(made, run, *prices));
  EBB_ASSIGN_OR_RETURN(const RunViews views, WriteViews(folder));
  return {};
}

}  // namespace ebb::app
