#pragma once
// Questions about paths that never throw. The functions of std::filesystem without an error_code
// throw if the working directory was deleted or a folder on the way may not be searched.

#include <filesystem>
#include <system_error>

#include "base/result.h"

namespace ebb::platform {

/// True if the path exists. False also if that cannot be found out; opening the path then gives the
/// reason.
inline bool Exists(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}
inline bool IsDirectory(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

/// The absolute path. If the working directory was deleted, the path as given, which then names
/// nothing.
inline std::filesystem::path AbsolutePath(const std::filesystem::path& path) {
  std::error_code deleted;
  std::filesystem::path absolute = std::filesystem::absolute(path, deleted);
  return deleted ? path : absolute;
}

/// The working directory; an Error if it was deleted.
inline Result<std::filesystem::path> WorkingDirectory() {
  std::error_code deleted;
  std::filesystem::path path = std::filesystem::current_path(deleted);
  if (!deleted) return path;
  return Fail({ExitCode::kUnavailable, "the working directory does not exist any more", "",
               "go to another one (cd), or make it again"});
}

}  // namespace ebb::platform
