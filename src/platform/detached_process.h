#pragma once
// A process that outlives the one that starts it: in a session of its own, without terminal or
// open files, and not ended together with its parent. It is watched by a descriptor, which works
// for processes that an earlier life of this program started as well.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ebb::platform {

struct DetachedOptions {
  /// A path; the default is the running program itself, also where its file was replaced.
  std::string program = "/proc/self/exe";
  std::vector<std::string> argv;
  int kept_descriptor = -1;  ///< becomes descriptor 3 of the process; -1: none
  /// It reads this from its standard input (at most 4096 bytes: what a pipe takes), then the end of
  /// it: the way to tell it something that stands in no file, argument or environment.
  std::string input;
};

/// Starts the process. Signals that this process blocks (ProcessSignals) are blocked in it too, so
/// that none is lost before it listens. An Error if it could not be executed.
Result<pid_t> StartDetached(const DetachedOptions& options);

/// What processes of StartDetached left to this one when they ended: its children in other sessions
/// that it did not start itself, those of before the first StartDetached left out. Takes the
/// remains of those that have ended.
std::vector<pid_t> LeftByDetached();

/// From now on no process of the same user (but root) reads this one's memory or takes its open
/// files. What it starts is as any other process.
void HideFromOthers();

/// Becomes readable when the process has ended (pidfd_open(2), Linux 5.3).
class ProcessWatch {
 public:
  /// Nothing when there is no such process.
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
  /// To this very process, never to a later one with its number.
  void SendSignal(int signal_number) const;
  /// Whether it has ended; takes the remains of a child.
  bool HasEnded() const;

 private:
  ProcessWatch(pid_t pid, int descriptor) : pid_(pid), descriptor_(descriptor) {}
  pid_t pid_ = -1;
  int descriptor_ = -1;
};

}  // namespace ebb::platform
