#pragma once
// ebb report settle: updates a run's figures with the values that its source has published by now.

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace ebb::cli {

struct SettleRequest {
  std::vector<std::filesystem::path> directories;
  bool dry_run = false;  ///< ask and report, write nothing
  bool json = false;
};

/// Settles each directory by itself. The exit code is that of the first that could not be settled.
Result<int> SettleRuns(const SettleRequest& request);

}  // namespace ebb::cli
