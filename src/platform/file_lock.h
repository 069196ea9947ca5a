#pragma once
// One process at a time: a lock on a side file (flock(2)), held until the holder ends, however it
// ends. A child that inherits the descriptor holds the lock too: there is no moment between the two
// at which nobody does.

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class FileLock {
 public:
  /// Takes the lock, creating the file and writing this process's id into it. Where another process
  /// holds it: an Error with ExitCode::kTryLater that names the other's id; nothing waits, but for
  /// a holder that has ended and left the lock to a child for a moment. Children that are started
  /// by exec do not inherit it.
  static Result<FileLock> Take(const Path& path);
  /// Whether a process holds it now. False where there is no such file.
  static bool IsHeld(const Path& path);
  /// Of a descriptor that was inherited with the lock. Nobody inherits it further.
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
