#pragma once
// Zip archives, as web services pack their answers: entries that are stored or deflated, found by
// the directory at the archive's end and checked by their sums. Not supported: encryption, several
// disks, sizes above 4 GB. Format: PKWARE's APPNOTE. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::platform {

struct ZipEntry {
  std::string name;  ///< name for messages; control characters are "?"
  std::string data;
};

bool IsZip(std::string_view data);

inline constexpr std::size_t kMostZipEntries = 1000;

/// All files of the archive, in its order. `name` is for messages; the limit holds for all of them
/// together.
Result<std::vector<ZipEntry>> Unzip(std::string_view data, const std::string& name,
                                    std::uint64_t limit_bytes);

}  // namespace ebb::platform
