#include "store/stored_views.h"

#include "store/ended_sums.h"
#include "store/jobs/earlier_runs.h"
#include "store/jobs/job_work.h"

namespace ebb::store {

Result<std::optional<JobRecord>> StoredJobs::Find(core::JobId job) {
  return FindJob(database_, job);
}
Result<std::optional<core::Submission>> StoredJobs::FindSubmission(core::JobId job) {
  return store::FindSubmission(database_, job);
}
Result<std::vector<core::Submission>> StoredJobs::LiveSubmissions() {
  return store::LiveSubmissions(database_);
}
Result<std::vector<AttemptRecord>> StoredJobs::AttemptsOf(core::JobId job) {
  return store::AttemptsOf(database_, job);
}
Result<std::vector<JobSpan>> StoredJobs::ThatRan(Interval window) {
  return JobsThatRan(database_, window);
}
Result<bool> StoredJobs::EndIsStored(core::JobId job, int attempt) {
  return store::EndIsStored(database_, job, attempt);
}
Result<JobNotes> StoredJobs::NotesOf(core::JobId job) { return store::NotesOf(database_, job); }
Result<core::Work> StoredJobs::WorkOf(core::JobId job) { return store::WorkOf(database_, job); }
Result<std::optional<FirstComeRecord>> StoredJobs::FindFirstCome(core::JobId job) {
  return store::FindFirstCome(database_, job);
}
Result<std::vector<core::EarlierRun>> StoredJobs::EarlierRunsOf(const core::Submission& submission,
                                                                const core::Cluster& cluster) {
  return EarlierRuns(database_, submission, cluster);
}
Result<std::vector<core::JobId>> StoredJobs::Uncounted(std::size_t limit) {
  return UncountedJobs(database_, limit);
}

Result<std::vector<core::LedgerRow>> StoredLedgers::RowsOf(core::JobId job, Time from) {
  return LedgerOf(database_, job, from);
}
Result<LedgerSums> StoredLedgers::SumsOf(core::JobId job) { return StoredSums(database_, job); }
Result<std::map<std::string, Time>> StoredLedgers::StoredUpTo(core::JobId job, int attempt) {
  return LedgerStoredUpTo(database_, job, attempt);
}

Result<std::optional<SweepRecord>> StoredSweeps::Find(core::SweepId sweep) {
  return FindSweep(database_, sweep);
}
Result<core::BudgetUse> StoredSweeps::UseOf(core::SweepId sweep) {
  return UseOfSweep(database_, sweep);
}
Result<std::vector<core::BudgetEvent>> StoredSweeps::BudgetEventsOf(core::SweepId sweep) {
  return SweepBudgetEventsOf(database_, sweep);
}
Result<std::vector<RungLoss>> StoredSweeps::RungLossesOf(core::SweepId sweep) {
  return store::RungLossesOf(database_, sweep);
}

}  // namespace ebb::store
