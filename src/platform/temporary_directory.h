#pragma once
// A directory for this process alone, which is removed when the process ends. A process that is
// killed leaves its directory behind; the next process that makes one with the same name removes
// it.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "platform/file_lock.h"

namespace ebb::platform {

class TemporaryDirectory {
 public:
  /// Makes a directory under TMPDIR or /tmp, accessible to its owner only. The directory's name
  /// begins with `name`.
  static Result<TemporaryDirectory> Make(const std::string& name);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::move(other.lock_)) {
    other.path_.clear();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryDirectory(std::filesystem::path path, FileLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  FileLock lock_;  // lock file beside the directory, held while the directory is in use
};

}  // namespace ebb::platform
