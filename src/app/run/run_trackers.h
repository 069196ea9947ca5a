#pragma once
// A run's configuration, loss, energy and grams for experiment trackers, while it lasts
// (docs/trackers.md). A tracker that fails is said once and costs the run nothing.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run.h"
#include "core/tracking.h"
#include "engine/state.h"
#include "local/measured_process.h"
#include "report/run/prometheus_text.h"
#include "report/run/summary.h"
#include "report/run/training_files.h"
#include "trackers/background_tracker.h"

namespace ebb::app {

/// Before a run begins: an Error where a target cannot be one, or a secret would travel in the
/// open.
Status CheckTrackers(const core::Tracking& tracking);

/// With paths that hold wherever they are used; addresses stay.
core::Tracking AbsoluteTracking(core::Tracking tracking);

/// Makes MLflow as `tracking` names it. `note`: where the run's id is kept. An Error: the file of
/// the token cannot be read.
Result<trackers::BackgroundTracker::Make> MlflowOf(const core::Tracking& tracking,
                                                   const std::filesystem::path& note);
/// In the directory of a run.
std::filesystem::path MlflowNoteIn(const std::filesystem::path& run_directory);

/// How the end of an attempt is told.
trackers::Outcome OutcomeOf(core::AttemptOutcome outcome);
/// The same of a job that has ended, and its last attempt: a program that its budget or a signal
/// ended was killed, also where its job has failed by that.
trackers::Outcome EndOf(engine::Stage stage, core::AttemptOutcome last);

/// One attempt of a run. One thread.
class RunTrackers {
 public:
  /// `before`: what earlier attempts of the run measured.
  RunTrackers(const core::Tracking& tracking, const core::RunSpec& spec,
              const core::RunRecord& before, const std::filesystem::path& run_directory);

  bool wanted() const { return !trackers_.empty(); }
  void OnBegin(const core::Attempt& attempt);
  void OnRows(std::span<const core::LedgerRow> rows);
  void OnProgress(std::span<const report::ProgressEvent> events);
  /// What the user should be told.
  std::vector<std::string> TakeNotes();
  /// The attempt has ended; does not wait for what is on its way.
  void OnEnd(const core::Attempt& attempt, const report::Summary& summary);
  /// The program could not be started.
  void OnFailure(Time wall);
  /// After OnEnd or OnFailure: waits some seconds for what is on its way. True: all of it was
  /// taken.
  bool WaitForEnd();
  /// After those: WaitForEnd would not wait.
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
