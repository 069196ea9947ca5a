#pragma once
// A directory of this process alone, which goes with it.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace ebb::platform {

class TemporaryDirectory {
 public:
  /// Under TMPDIR or /tmp, for its owner only; its name begins with `name`.
  static Result<TemporaryDirectory> Make(const std::string& name);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace ebb::platform
