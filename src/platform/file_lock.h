#pragma once
// One process at a time: a lock on a side file (flock(2)), held until the holder ends, however it
// ends. A child that inherits the descriptor holds the lock too, so the lock passes from parent to
// child without a gap.

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class FileLock {
 public:
  /// Takes the lock, creating the file and writing this process's id into it. If another process
  /// holds the lock, fails with ExitCode::kTryLater and names that process's id. Does not wait,
  /// unless the holder has ended and a child of it still has the lock for a moment. Children that
  /// are started by exec do not inherit it.
  static Result<FileLock> Take(const Path& path);
  /// True if a process holds the lock now. False if there is no such file.
  static bool IsHeld(const Path& path);
  /// Takes over a lock together with its inherited descriptor. Programs that this process starts do
  /// not inherit it.
  static FileLock Inherited(int descriptor);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  int descriptor() const { return descriptor_; }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace ebb::platform
