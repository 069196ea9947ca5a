#pragma once
// The end of a run: what is stored, derived and shown once its program has ended, or if it could
// not be started.

#include <string>
#include <vector>

#include "app/run/run_sinks.h"
#include "app/run/run_surroundings.h"
#include "report/run/summary.h"
#include "runtime/clock.h"

namespace ebb::app {

class RunEnd {
 public:
  /// All must outlive the object.
  RunEnd(const RunOptions& options, Surroundings& surroundings, RunSinks sinks,
         const runtime::Clock& wall)
      : options_(options), surroundings_(surroundings), sinks_(sinks), wall_(wall) {}

  /// Closes a run that has nothing to summarize.
  Status Close();
  /// Records that the program could not be started, and closes the run.
  Status NotStarted(int attempt_number, const Error& error);
  /// Stores the end of the attempt, derives the views and shows the summary.
  Result<report::Summary> Finish(const core::Attempt& attempt);
  /// Shows how the program ended and the figures that Finish could not write; returns `error` with
  /// advice.
  Error ShowUnwritten(const core::Attempt& attempt, const std::vector<core::LedgerRow>& unstored,
                      Error error);
  /// Reports why figures are unknown, and how to continue. `is_of_job`: RunRequest::attempt_of, and
  /// the job's service continues it.
  void SayRemarks(core::AttemptOutcome outcome, const report::Summary& summary, bool is_of_job);

 private:
  const RunOptions& options_;
  Surroundings& surroundings_;
  RunSinks sinks_;
  const runtime::Clock& wall_;
};

}  // namespace ebb::app
