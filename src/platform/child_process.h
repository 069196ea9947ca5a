#pragma once
// A child process without a shell: argv goes to exec as it is. The child leads a process group of
// its own, so a signal reaches it and all its descendants; if Ebb holds the terminal, the child's
// group gets it while it runs, as a shell would do, and Ctrl-C, Ctrl-Z and reading from the
// terminal work as if Ebb were not there.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "platform/process_signals.h"

namespace ebb::platform {

struct ChildOptions {
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>>
      environment;  ///< added to ours, replacing equal names
};

struct ExitStatus {
  int code = 0;  ///< exit code, or 128 + n when a signal n ended it (as shells report)
  bool by_signal = false;
};

class ChildProcess {
 public:
  /// Starts the program. Not found: code 127; found but not executable: 126; both are Errors.
  static Result<ChildProcess> Start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// A child that still runs is left alone.
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  /// Handles what has happened for at most `timeout`: signals to this process are forwarded to the
  /// child's group, job control is passed on. Returns the exit status once the child has ended.
  /// Returns early, without a status, after any signal.
  std::optional<ExitStatus> Wait(ProcessSignals& signals, Duration timeout);
  /// The last stop request that was forwarded.
  std::optional<int> forwarded_stop() const { return forwarded_stop_; }
  /// Sends a signal to the child's whole group.
  void SendSignal(int signal_number) const;

 private:
  ChildProcess(pid_t pid, bool holds_terminal) : pid_(pid), holds_terminal_(holds_terminal) {}
  std::optional<ExitStatus> Reap();
  void FollowJobControlStop();

  pid_t pid_ = -1;
  bool holds_terminal_ = false;
  std::optional<int> forwarded_stop_;
};

}  // namespace ebb::platform
