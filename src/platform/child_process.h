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
  std::vector<std::string> argv;  ///< argv[0] is searched in PATH
  std::vector<std::pair<std::string, std::string>>
      environment;  ///< added to the environment of this process; replaces equal names
  /// Options of a program that runs beside others. It does not get the terminal, its input is
  /// empty, its output is appended to `output_file`, and it gets SIGTERM when this process dies, so
  /// that no program runs on unmeasured.
  struct Background {
    std::string output_file;
  };
  std::optional<Background> background{};
  std::string working_directory{};  ///< empty: the working directory of this process
  /// The file cgroup.procs of a control group that the child enters before it executes the program.
  /// If it cannot enter, it runs outside the group. Empty: no group.
  std::string cgroup_procs{};
  /// A signal to this process that asks the program to pause: its group gets SIGTERM instead, once.
  /// The program itself ignores that signal, since others (scancel --full) send it to every
  /// process.
  std::optional<int> pause_signal{};
};

struct ExitStatus {
  int code = 0;  ///< exit code, or 128 + n if signal n ended the program (as shells report)
  bool by_signal = false;
};

class ChildProcess {
 public:
  /// Starts the program. Fails with code 127 if it is not found, and with 126 if it is found but
  /// not executable.
  static Result<ChildProcess> Start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Does not end a child that still runs.
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  /// Waits for events for at most `timeout`: signals to this process are forwarded to the child's
  /// group, job control is passed on. Returns the exit status once the child has ended. Returns
  /// early, without a status, after any signal.
  std::optional<ExitStatus> Wait(ProcessSignals& signals, Duration timeout);
  /// The last stop request that was forwarded.
  std::optional<int> forwarded_stop() const { return forwarded_stop_; }
  /// True if the pause signal of its options has come.
  bool asked_to_pause() const { return asked_to_pause_; }
  /// True if the child has ended. The zombie is kept, so that its times can still be read. Never
  /// waits.
  bool HasEnded() const;
  /// The exit status of the child, keeping the zombie; nullopt while the child runs.
  std::optional<ExitStatus> SeenEnd() const;
  /// Reaps a child that has ended; nullopt while it runs.
  std::optional<ExitStatus> TakeEnd();
  /// Sends a signal to the child's whole group.
  void SendSignal(int signal_number) const;

 private:
  ChildProcess(pid_t pid, bool holds_terminal, std::optional<int> pause_signal)
      : pid_(pid), holds_terminal_(holds_terminal), pause_signal_(pause_signal) {}
  void Forward(int signal_number);
  std::optional<ExitStatus> Reap();
  void FollowJobControlStop();

  pid_t pid_ = -1;
  bool holds_terminal_ = false;
  std::optional<int> pause_signal_;
  bool asked_to_pause_ = false;
  std::optional<int> forwarded_stop_;
};

/// Reaps ended descendants that this process has adopted. The processes in `ours` are left to their
/// ChildProcess.
void ReapAdopted(std::span<const pid_t> ours);

}  // namespace ebb::platform
