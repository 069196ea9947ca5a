#pragma once
// ebb store prune: what the service does by itself between decisions (ebb serve --keep), at once,
// while none runs.

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ebb::cli {

struct StorePruneRequest {
  std::string store;
  Duration older_than{};
  bool dry_run = false, json = false;
};

Result<int> PruneStore(const StorePruneRequest& request);

}  // namespace ebb::cli
