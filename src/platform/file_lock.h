#pragma once
// One process at a time: a lock on a side file, held until the holder ends, however it ends.

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class FileLock {
 public:
  /// Takes the lock, creating the file and writing this process's id into it. Where another process
  /// holds it: an Error with ExitCode::kTryLater that names the other's id; nothing waits. Children
  /// that are started by exec do not inherit it.
  static Result<FileLock> Take(const Path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace ebb::platform
