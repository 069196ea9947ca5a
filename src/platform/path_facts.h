#pragma once
// Questions about paths that never throw. Those of std::filesystem without an error_code do: where
// the working directory was deleted, or a folder on the way may not be searched.

#include <filesystem>
#include <system_error>

#include "base/result.h"

namespace ebb::platform {

/// False also where nobody can tell: whoever opens it learns why.
inline bool Exists(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}
inline bool IsDirectory(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

/// As it was given where the working directory was deleted: nothing is found by it then.
inline std::filesystem::path AbsolutePath(const std::filesystem::path& path) {
  std::error_code deleted;
  std::filesystem::path absolute = std::filesystem::absolute(path, deleted);
  return deleted ? path : absolute;
}

/// An Error where it was deleted.
inline Result<std::filesystem::path> WorkingDirectory() {
  std::error_code deleted;
  std::filesystem::path path = std::filesystem::current_path(deleted);
  if (!deleted) return path;
  return Fail({ExitCode::kUnavailable, "the working directory does not exist any more", "",
               "go to another one (cd), or make it again"});
}

}  // namespace ebb::platform
