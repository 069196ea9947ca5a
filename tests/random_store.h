#pragma once
// Random stores as the service writes them: a history of an engine with all kinds of events, jobs
// with ledgers, and their settlements.

#include <filesystem>

#include "base/result.h"

namespace ebb {

inline constexpr const char* kRandomStorePolicy = "lowest-slots";

/// Writes a store of two lives, of which the second was killed. `path` is the store's file.
Status WriteRandomStore(const std::filesystem::path& path, std::uint64_t seed);

}  // namespace ebb
