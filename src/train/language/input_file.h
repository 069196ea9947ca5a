#pragma once
// A file that the user named: that it cannot be read is a mistake of the configuration.

#include <cstdint>
#include <string>

#include "platform/file.h"

namespace ebb::train {

/// Plain or gzip.
inline Result<std::string> ReadInput(const platform::Path& path,
                                     std::uint64_t limit_bytes = platform::kDefaultReadLimitBytes) {
  auto text = platform::ReadFileMaybeGzip(path, limit_bytes);
  if (!text) text.error().code = ExitCode::kConfiguration;
  return text;
}

}  // namespace ebb::train
