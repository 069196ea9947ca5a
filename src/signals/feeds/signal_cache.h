#pragma once
// The cache of a live provider's last answer on disk, by provider, zone, kind and boundary: a
// second process need not ask again within the refresh interval, and a process that starts during
// an outage has the values of the one before. Format "ebb.signal-cache/1", JSON, one file per key,
// written atomically. A file that is damaged, of another version or for another signal is not used,
// and a note says so.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/signal/intensity.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// The provider's refusal of a question for a forecast.
struct RefusedForecast {
  Time at{};
  std::string what, where, next;  ///< members of the Error
};

/// The size limit of a cache file; a longer file is not read.
inline constexpr std::uint64_t kSignalCacheLimitBytes = 16ULL << 20;

struct CachedSignal {
  std::string provider;
  core::SignalIdentity identity;
  Time answered_at{};
  std::vector<core::Sample> known;
  std::optional<Time> issued;  ///< issue time of the forecast
  std::vector<core::Sample> forecast;
  /// Set if the latest question for a forecast was refused.
  std::optional<RefusedForecast> refused;
};

/// The text of a cache file. Pure, like its inverse.
std::string ToText(const CachedSignal& cached);
Result<CachedSignal> CachedSignalFromText(std::string_view text, const std::string& where);

/// The file's path: "DIRECTORY/electricity-maps_DE_average_lifecycle.json". Characters of a zone
/// other than letters, digits and hyphens are written in hexadecimal.
std::filesystem::path CachePath(const std::filesystem::path& directory, const std::string& provider,
                                const core::SignalIdentity& identity);

/// $XDG_CACHE_HOME/ebb/signals or ~/.cache/ebb/signals; "" if neither is known.
std::string DefaultCacheDirectory();
/// The cache directory by `options`; "": nothing is kept.
std::string CacheDirectoryOf(const SignalOptions& options);

}  // namespace ebb::signals
