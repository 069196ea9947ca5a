#pragma once
// Random stores as the service writes them: a history of an engine with all kinds of events, jobs
// with ledgers, and what they were settled on.

#include <filesystem>

#include "base/result.h"

namespace ebb {

inline constexpr const char* kRandomStorePolicy = "lowest-slots";

/// Two lives; the second one was killed. `path` is the store's file.
Status WriteRandomStore(const std::filesystem::path& path, std::uint64_t seed);

}  // namespace ebb
