#pragma once
// A file that several processes add to: locked (flock) from Open until the object ends, so that
// each process sees the text of the one before it. Each Append is one write(2) at the end of the
// file; this alone separates the texts of processes that do not lock, and those on a file system
// without locks.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "platform/file.h"

namespace ebb::platform {

class LockedFile {
 public:
  /// Opens, creating the file, and waits for the lock at most `patience`. Follows a symbolic link.
  /// Fails if the file is not a regular file.
  static Result<LockedFile> Open(const Path& path, Duration patience = Duration{10'000});
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&&) = delete;
  ~LockedFile();

  Result<std::string> Read() const { return ReadFile(path_); }
  /// Appends all of `text`, or nothing of it (a full disk).
  Status Append(std::string_view text);
  /// Replaces the content: the file is the old one or the new one, whole; its permissions stay. No
  /// call may follow, because the lock belongs to the old file.
  Status Replace(std::string_view content);

 private:
  LockedFile(int descriptor, Path path);
  int descriptor_ = -1;
  Path path_;  ///< path with all links resolved
};

}  // namespace ebb::platform
