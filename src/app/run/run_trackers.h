#pragma once
// Sends a run's configuration, loss, energy and emissions to experiment trackers during the run
// (docs/trackers.md). A failure of a tracker is reported once and does not harm the run.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/jobs/tracking.h"
#include "core/run/run.h"
#include "engine/state.h"
#include "local/process/measured_process.h"
#include "report/run/prometheus_text.h"
#include "report/run/summary.h"
#include "report/run/training_files.h"
#include "trackers/background_tracker.h"

namespace ebb::app {

/// Checks the targets before a run begins. An Error if a target is not valid, or if a secret would
/// be sent unencrypted.
Status CheckTrackers(const core::Tracking& tracking);

/// Makes paths absolute; addresses stay as they are.
core::Tracking AbsoluteTracking(core::Tracking tracking);

/// Makes the MLflow tracker that `tracking` names. `note`: the file that keeps the id of the MLflow
/// run. An Error if the file of the token cannot be read.
Result<trackers::BackgroundTracker::Make> MlflowOf(const core::Tracking& tracking,
                                                   const std::filesystem::path& note);
/// The path of that file in the directory of a run.
std::filesystem::path MlflowNoteIn(const std::filesystem::path& run_directory);

/// The outcome of an attempt in the words of trackers.
trackers::Outcome OutcomeOf(core::AttemptOutcome outcome);
/// The outcome of a job that has ended, from its stage and its last attempt. A program that its
/// budget or a signal ended counts as killed, even if its job failed because of that.
trackers::Outcome EndOf(engine::Stage stage, core::AttemptOutcome last);

/// One attempt of a run. One thread.
class RunTrackers {
 public:
  /// `before`: the measurements of earlier attempts of the run.
  RunTrackers(const core::Tracking& tracking, const core::RunSpec& spec,
              const core::RunRecord& before, const std::filesystem::path& run_directory);

  bool wanted() const { return !trackers_.empty(); }
  void OnBegin(const core::Attempt& attempt);
  void OnRows(std::span<const core::LedgerRow> rows);
  void OnProgress(std::span<const report::ProgressEvent> events);
  /// The notes for the user since the last call.
  std::vector<std::string> TakeNotes();
  /// The attempt has ended; does not wait for delivery.
  void OnEnd(const core::Attempt& attempt, const report::Summary& summary);
  /// The program could not be started.
  void OnFailure(Time wall);
  /// Waits some seconds for delivery after OnEnd or OnFailure. True if everything was accepted.
  bool WaitForEnd();
  /// True if WaitForEnd would not have to wait.
  bool HasEnded() const;

 private:
  void Log(const std::vector<trackers::Value>& values);

  std::vector<std::unique_ptr<trackers::BackgroundTracker>> trackers_;
  std::vector<std::string> notes_;
  report::PrometheusTotals totals_;
  Duration ran_before_{};
  Time began_{};
};

}  // namespace ebb::app
