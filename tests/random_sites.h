#pragma once
// Random jobs of a service with several sites, settled as the service does it: they waited, paused
// and moved between sites, and providers revised what they had published.

#include <filesystem>

#include "base/result.h"
#include "core/jobs/job.h"

namespace ebb {

/// Writes a store of this many jobs, numbered from 1 on. `path` is the store's file.
Status WriteStoreOfSites(const std::filesystem::path& path, std::uint64_t seed, core::JobId jobs);

}  // namespace ebb
