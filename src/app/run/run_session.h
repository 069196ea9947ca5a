#pragma once
// Carries out one run from submission to summary: opens the signal, waits at the gate, starts and
// measures the program, stores everything in the run directory and derives the views. Here the
// ports get their implementations.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/run_options.h"
#include "app/run/run_display.h"
#include "base/result.h"
#include "core/run/run.h"
#include "platform/process_signals.h"

namespace ebb::app {

struct RunRequest {
  RunOptions options;
  std::vector<std::string> command;  ///< empty to measure the machine until a request to stop
  /// see AttemptOptions::stop_grace
  std::optional<Duration> stop_grace{};
  std::optional<core::TrainingSettings> training;
  /// The job of a cluster that this run is one attempt of; absent: the run continues by itself.
  struct JobAttempt {
    std::string job_id;
    std::filesystem::path checkpoints;  ///< the same for all attempts
    bool resume = false;
    int pause_signal = 0;  ///< see platform::ChildOptions
    /// Further variables of the program.
    std::vector<std::pair<std::string, std::string>> environment{};
  };
  std::optional<JobAttempt> attempt_of{};
  /// True if this process was split from the one at the terminal (platform::Background), which ends
  /// once it is decided if the run waits.
  bool detached = false;
  /// False if the notes about this machine's meters were shown before, for an earlier run of a
  /// series. They are always logged.
  bool show_meter_notes = true;
};

struct RunResult {
  int exit_code = 0;  ///< exit code of the program; 128 + n if a signal ended the wait; 75 if
                      ///< stopped
  std::filesystem::path directory;
  core::AttemptOutcome outcome = core::AttemptOutcome::kNotStarted;
  bool asked_to_pause = false;  ///< by the pause signal of RunRequest::attempt_of
};

/// Makes the display of a run from its options. For a run that is continued, the options are read
/// first.
using MakeDisplay = std::function<std::unique_ptr<RunDisplay>(const RunOptions&)>;

/// Gates and runs a new run.
Result<RunResult> RunOnce(const RunRequest& request, platform::ProcessSignals& signals,
                          const MakeDisplay& make_display);

/// Continues a paused, failed or killed run with another attempt. The attempt passes the gate again
/// unless the policy in `options` is now. `given` are the flags of this command line, which
/// override those stored with the run. `detached`: see RunRequest.
Result<RunResult> ResumeRun(const std::filesystem::path& directory, const FlagValues& given,
                            bool detached, platform::ProcessSignals& signals,
                            const MakeDisplay& make_display);

}  // namespace ebb::app
