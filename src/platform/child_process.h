#pragma once
// A child process without a shell: argv goes to exec as it is. The child leads a process group of
// its own, so a signal reaches it and all its descendants; if Ebb holds the terminal, the child's
// group gets it while it runs, as a shell would do, and Ctrl-C, Ctrl-Z and reading from the
// terminal work as if Ebb were not there.

#include <sys/types.h>

#include <optional>
#include <span>
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
  /// One of several programs at a time: it does not get the terminal, reads nothing, appends what
  /// it prints to `output_file`, and is asked to end (SIGTERM) when this process dies, so that
  /// nothing runs on unmeasured.
  struct Background {
    std::string output_file;
  };
  std::optional<Background> background{};
  std::string working_directory{};  ///< empty: ours
  /// cgroup.procs of a control group that it enters before it runs; where it cannot, it runs
  /// outside. Empty: none.
  std::string cgroup_procs{};
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
  /// Whether the child has ended; its remains are left, so that its times can still be read. Never
  /// waits.
  bool HasEnded() const;
  /// How it ended, its remains left likewise; nothing while it runs.
  std::optional<ExitStatus> SeenEnd() const;
  /// Takes the remains of a child that has ended; nothing while it runs.
  std::optional<ExitStatus> TakeEnd();
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

/// Takes the remains of ended processes that came to us from descendants of ours. Those of `ours`
/// are left to their ChildProcess.
void ReapAdopted(std::span<const pid_t> ours);

}  // namespace ebb::platform
