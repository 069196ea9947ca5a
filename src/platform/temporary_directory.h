#pragma once
// A directory of this process alone, which goes with it. One that was killed leaves its directory
// behind; the next process that makes one of the same name removes it.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "platform/file_lock.h"

namespace ebb::platform {

class TemporaryDirectory {
 public:
  /// Under TMPDIR or /tmp, for its owner only; its name begins with `name`.
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
  FileLock lock_;  // beside it: held for as long as somebody uses the directory
};

}  // namespace ebb::platform
