#pragma once
// One run from submission to summary: opens the signal, waits at the gate, starts and measures the
// program, stores everything in the run directory and derives the views. This is where ports meet
// their implementations.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "app/run/run_display.h"
#include "base/result.h"
#include "core/run.h"
#include "platform/process_signals.h"

namespace ebb::app {

struct RunRequest {
  RunOptions options;
  std::vector<std::string> command;  ///< empty: the machine is measured until a request to stop
  /// AttemptOptions::stop_grace
  std::optional<Duration> stop_grace{};
  std::optional<core::TrainingSettings> training;
  /// It was split from the process at the terminal (platform::Background), which is let go once it
  /// is decided whether to wait.
  bool detached = false;
  /// Notes about this machine's meters are the same for every run of a series: shown once, logged
  /// always.
  bool show_meter_notes = true;
};

struct RunResult {
  int exit_code = 0;  ///< the program's own; 128 + n if a signal ended the wait; 75 if stopped
  std::filesystem::path directory;
  core::AttemptOutcome outcome = core::AttemptOutcome::kNotStarted;
};

/// Makes what shows a run, from its options: those of a run that is continued are read first.
using MakeDisplay = std::function<std::unique_ptr<RunDisplay>(const RunOptions&)>;

/// Gates and runs a new run.
Result<RunResult> RunOnce(const RunRequest& request, platform::ProcessSignals& signals,
                          const MakeDisplay& make_display);

/// Continues a paused, failed or killed run with another attempt; it passes the gate again unless
/// `options` say policy now. `given` are the flags of this command line, over those stored with the
/// run. `detached`: as RunRequest has it.
Result<RunResult> ResumeRun(const std::filesystem::path& directory, const FlagValues& given,
                            bool detached, platform::ProcessSignals& signals,
                            const MakeDisplay& make_display);

}  // namespace ebb::app
