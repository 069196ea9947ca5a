#pragma once
// The highest job number that was ever given out, in a file beside the folders of the jobs: a store
// that was restored from a backup does not know it, and gives none a second time.

#include <vector>

#include "core/job.h"
#include "platform/file.h"

namespace ebb::store {

/// Its name, in the folder that holds those of the jobs.
inline constexpr const char* kNumbersFile = "last-number";

/// The folders in `directory` whose names are job numbers, ascending.
std::vector<core::JobId> NumberedFolders(const platform::Path& directory);

class JobNumbers {
 public:
  /// An empty path: nothing is kept. Where the file is not there (a store of an older version) or
  /// damaged, the folders beside it tell.
  static JobNumbers Open(platform::Path file);

  core::JobId highest() const { return highest_; }
  /// To be called before jobs up to this number are stored. Not flushed to the disk: a loss of
  /// power costs the last seconds of it, and those jobs are still told apart by their identity.
  Status Keep(core::JobId highest);

 private:
  explicit JobNumbers(platform::Path file) : file_(std::move(file)) {}

  platform::Path file_;
  core::JobId highest_ = 0;
};

}  // namespace ebb::store
