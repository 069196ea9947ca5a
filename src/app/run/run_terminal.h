#pragma once
// The terminal that a run was started at. If it ends (SIGHUP), or if the run was started with
// --detach, the run and its program go on and print to a file in the run's directory: printing to a
// closed terminal must not end them.
//
// Thread contract: one thread, that of the session.

#include <filesystem>
#include <optional>

#include "app/run/run_display.h"
#include "app/run/run_log.h"
#include "base/result.h"
#include "platform/background.h"

namespace ebb::app {

class RunTerminal {
 public:
  explicit RunTerminal(RunDisplay& display) : display_(display) {}
  /// The run has this directory from now on. `detached`: see RunRequest.
  void UseDirectory(const std::filesystem::path& directory, bool detached);
  /// `log` must outlive the calls below.
  void UseLog(RunLog& log) { log_ = &log; }

  /// The terminal is gone.
  void Leave();
  /// The first decision is shown, so the person at the terminal knows if the run starts or waits.
  /// `sleeps`: the process sleeps until the run may start.
  Status OnFirstDecision(bool sleeps);

 private:
  RunDisplay& display_;
  const platform::StandardFiles standard_files_;
  std::optional<std::filesystem::path> output_;   ///< the file for what is printed without terminal
  std::optional<std::filesystem::path> left_to_;  ///< where it goes, once the terminal is gone
  RunLog* log_ = nullptr;
  bool detached_ = false;
};

}  // namespace ebb::app
