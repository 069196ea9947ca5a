#pragma once
// ebb report settle: a run's figures again, with what its source has published by now.

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace ebb::cli {

struct SettleRequest {
  std::vector<std::filesystem::path> directories;
  bool dry_run = false;  ///< ask and say, write nothing
  bool json = false;
};

/// Each directory by itself: the exit code is that of the first that could not be settled.
Result<int> SettleRuns(const SettleRequest& request);

}  // namespace ebb::cli
