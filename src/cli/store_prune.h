#pragma once
// ebb store prune: removes old jobs at once, as the service does by itself between decisions (ebb
// serve --keep). It needs a service that does not run.

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
