#pragma once
// Reports an attempt of a job of the queue service to experiment trackers. The job's supervisor
// does this, so that it works even while no service runs. All attempts of a job are one tracked
// run.

#include <memory>

#include "app/jobs/open_runs.h"
#include "app/run/run_trackers.h"
#include "local/supervisor/supervisor.h"
#include "report/run/progress_tail.h"

namespace ebb::app {

class JobFollower final : public local::AttemptFollower {
 public:
  /// Call it before the program starts. `spec`: the run specification of the attempt
  /// (stored_run.h).
  JobFollower(const local::AttemptPaths& paths, const local::AttemptPlan& plan, core::RunSpec spec);

  Status OnBegin(const core::Attempt& attempt) override;
  Status OnRows(std::span<const core::LedgerRow> rows) override;
  bool OnTick(const local::LiveFigures& figures) override;
  std::vector<std::string> OnEnd(const core::Attempt& attempt) override;
  void OnFailure() override;

 private:
  Result<core::RunRecord> StoredBefore() const;
  void Open();
  core::RunRecord WholeRun(const core::Attempt& attempt) const;
  void KeepNotes();
  void Mark(core::AttemptOutcome outcome, bool told);

  const std::filesystem::path directory_;
  const OpenRuns open_;
  bool mlflow_ = false;
  const local::AttemptPlan plan_;
  core::RunSpec spec_;
  report::ProgressTail tail_;
  std::unique_ptr<RunTrackers> trackers_;  // set once the program has begun
  std::vector<core::LedgerRow> rows_;      // rows of this attempt
  std::vector<std::string> notes_;
};

}  // namespace ebb::app
