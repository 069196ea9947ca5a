#pragma once
// Reads a file that the user named. A file that cannot be read is an error of the configuration.

#include <cstdint>
#include <string>

#include "platform/file.h"

namespace ebb::train {

/// Reads a plain or gzip file.
inline Result<std::string> ReadInput(const platform::Path& path,
                                     std::uint64_t limit_bytes = platform::kDefaultReadLimitBytes) {
  auto text = platform::ReadFileMaybeGzip(path, limit_bytes);
  if (!text) text.error().code = ExitCode::kConfiguration;
  return text;
}

}  // namespace ebb::train
