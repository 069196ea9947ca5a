#pragma once
// The port for displays of a run while it waits and trains: cli/run_display.h for people at a
// terminal or behind a pipe; tests use one that records.
//
// Thread contract: called by the thread that runs the session.

#include <string>
#include <vector>

#include "core/jobs/decision.h"
#include "core/run/run.h"
#include "core/signal/intensity.h"
#include "local/process/measured_attempt.h"
#include "report/run/summary.h"
#include "report/run/training_files.h"

namespace ebb::app {

class RunDisplay {
 public:
  virtual ~RunDisplay() = default;

  /// Prints a line that stays.
  virtual void Say(const std::string& line) = 0;
  /// Shows a decision of the gate and the signal that it saw.
  virtual void ShowDecision(const core::GateDecision& decision, const core::SignalView& view) = 0;
  /// Called while the gate waits.
  virtual void ShowWait(Time grid_now) = 0;
  /// The program is about to start. `prints`: it may write to the same terminal.
  virtual void BeginProgram(bool prints) = 0;
  /// The interval at which ShowTraining should be called; zero for never.
  virtual Duration TrainingInterval() const = 0;
  /// Shows the events of the program since the last call, and its figures so far. True if an epoch
  /// ended.
  virtual bool ShowTraining(const std::vector<report::ProgressEvent>& events,
                            const local::LiveFigures& figures) = 0;
  /// The terminal is gone: print to a file from now on.
  virtual void LeaveTerminal() = 0;
  /// Waiting or training is over; the next text begins a line of its own.
  virtual void EndLine() = 0;
  /// The run is over and kept in `directory`.
  virtual void ShowSummary(const core::RunRecord& record, const report::Summary& summary,
                           const std::string& directory) = 0;
};

}  // namespace ebb::app
