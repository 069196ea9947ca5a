#pragma once
// Keeps the highest job number that was ever given out, in a file beside the folders of the jobs. A
// store that was restored from a backup does not know that number; the file keeps it from giving
// one out twice.

#include <vector>

#include "core/jobs/job.h"
#include "platform/file.h"

namespace ebb::store {

/// Name of the file, in the folder that holds the jobs' folders.
inline constexpr const char* kNumbersFile = "last-number";

/// The folders in `directory` whose names are job numbers, ascending.
std::vector<core::JobId> NumberedFolders(const platform::Path& directory);

class JobNumbers {
 public:
  /// Opens the file; with an empty path nothing is kept. If the file is missing (a store of an
  /// older version) or damaged, the folders beside it tell the highest number.
  static JobNumbers Open(platform::Path file);

  core::JobId highest() const { return highest_; }
  /// Must be called before jobs up to this number are stored. The file is not flushed to the disk:
  /// a loss of power may lose the last seconds, and the jobs of that time are still told apart by
  /// their identity.
  Status Keep(core::JobId highest);

 private:
  explicit JobNumbers(platform::Path file) : file_(std::move(file)) {}

  platform::Path file_;
  core::JobId highest_ = 0;
};

}  // namespace ebb::store
