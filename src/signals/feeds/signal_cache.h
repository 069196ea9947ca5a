#pragma once
// What a live provider last said, on disk, by provider, zone, kind and boundary: a second process
// need not ask again within the refresh interval, and a process that starts during an outage knows
// what the one before it knew. Format "ebb.signal-cache/1", JSON, one file per key, written
// atomically. A file that is damaged, of another version or for another signal is not used, and
// said.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/intensity.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// The provider was asked for a forecast, and refused.
struct RefusedForecast {
  Time at{};
  std::string what, where, next;  ///< as in Error
};

/// A longer file is not read.
inline constexpr std::uint64_t kSignalCacheLimitBytes = 16ULL << 20;

struct CachedSignal {
  std::string provider;
  core::SignalIdentity identity;
  Time answered_at{};
  std::vector<core::Sample> known;
  std::optional<Time> issued;  ///< of the forecast
  std::vector<core::Sample> forecast;
  std::optional<RefusedForecast> refused;  ///< the latest question for a forecast was
};

/// The text of a cache file, and back. Pure.
std::string ToText(const CachedSignal& cached);
Result<CachedSignal> CachedSignalFromText(std::string_view text, const std::string& where);

/// "DIRECTORY/electricity-maps_DE_average_lifecycle.json"; other characters than letters, digits
/// and hyphens of a zone are spelled out in hexadecimal.
std::filesystem::path CachePath(const std::filesystem::path& directory, const std::string& provider,
                                const core::SignalIdentity& identity);

/// $XDG_CACHE_HOME/ebb/signals or ~/.cache/ebb/signals; "" where neither is known.
std::string DefaultCacheDirectory();
/// Where `options` have it; "": nothing is kept.
std::string CacheDirectoryOf(const SignalOptions& options);

}  // namespace ebb::signals
