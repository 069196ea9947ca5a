#pragma once
// A file that several processes add to: locked (flock) from Open until the object ends, so that
// each sees what the one before it wrote. Processes that do not lock are kept apart only by each
// Append being one write(2) at the end of the file. Where the file system knows no locks, that is
// all there is.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "platform/file.h"

namespace ebb::platform {

class LockedFile {
 public:
  /// Opens, creating the file, and waits for the lock at most `patience`. A symbolic link is
  /// followed; what is no regular file is refused.
  static Result<LockedFile> Open(const Path& path, Duration patience = Duration{10'000});
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&&) = delete;
  ~LockedFile();

  Result<std::string> Read() const { return ReadFile(path_); }
  /// All of `text` at the end, or nothing of it (a full disk).
  Status Append(std::string_view text);
  /// The file is the old one or the new one, whole; its permissions stay. The last call: the lock
  /// is that of the old file.
  Status Replace(std::string_view content);

 private:
  LockedFile(int descriptor, Path path);
  int descriptor_ = -1;
  Path path_;  ///< with links followed
};

}  // namespace ebb::platform
