#pragma once
// A process that outlives the one that starts it: in a session of its own, without terminal or open
// files, and not ended together with its parent. A descriptor watches it, which also works for
// processes that an earlier run of this program started.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ebb::platform {

struct DetachedOptions {
  /// The path of the program. The default is the running program itself, even if its file was
  /// replaced.
  std::string program = "/proc/self/exe";
  std::vector<std::string> argv;
  int kept_descriptor = -1;  ///< becomes descriptor 3 of the process; -1: none
  /// Text on the standard input of the process, at most 4096 bytes, which always fit into a pipe.
  /// It can pass secrets that must not be in a file, an argument or the environment.
  std::string input;
};

/// Starts the process. Signals that this process blocks (ProcessSignals) are blocked in it too, so
/// that none is lost before it listens. Fails if the program could not be executed.
Result<pid_t> StartDetached(const DetachedOptions& options);

/// Orphans of processes that StartDetached started: children of this process in other sessions that
/// it did not start itself and that were not there before the first StartDetached. Reaps those that
/// have ended.
std::vector<pid_t> LeftByDetached();

/// From now on no process of the same user (except root) can read the memory of this process or
/// take its open files. Programs that it starts are not protected.
void HideFromOthers();

/// Becomes readable when the process has ended (pidfd_open(2), Linux 5.3).
class ProcessWatch {
 public:
  /// Returns nullopt if there is no such process.
  static std::optional<ProcessWatch> Open(pid_t pid);
  ProcessWatch(ProcessWatch&& other) noexcept
      : pid_(other.pid_), descriptor_(std::exchange(other.descriptor_, -1)) {}
  ProcessWatch& operator=(ProcessWatch&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~ProcessWatch();

  int descriptor() const { return descriptor_; }
  /// Sends the signal to this very process, never to a later one with the same pid.
  void SendSignal(int signal_number) const;
  /// True if the process has ended. Reaps a child.
  bool HasEnded() const;

 private:
  ProcessWatch(pid_t pid, int descriptor) : pid_(pid), descriptor_(descriptor) {}
  pid_t pid_ = -1;
  int descriptor_ = -1;
};

}  // namespace ebb::platform
