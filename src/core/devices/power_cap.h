#pragma once
// A limit on the power of a job's GPUs. It makes them slower, but the same work takes less energy,
// because power rises faster than speed towards the top. Values and text only;
// meter/gpu/power_limit.h sets the limit, local/power/cap_search.h finds one.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::core {

struct PowerCap {
  double watts = 0;    ///< limit of each GPU in watts; 0 if `percent` gives the limit
  double percent = 0;  ///< limit in percent of each GPU's default limit
  /// The limit is found while the job runs; the others are 0.
  bool automatic = false;
  friend bool operator==(const PowerCap&, const PowerCap&) = default;
};

/// How much longer a step may take under a limit that is found, in percent of its time without.
struct Slowdown {
  double percent = 5;
  friend bool operator==(const Slowdown&, const Slowdown&) = default;
};

/// Parses "250", "250W", "250 W", "70%" or "auto". The Error says what is accepted.
Result<PowerCap> ParsePowerCap(std::string_view text);
/// The limit as text that ParsePowerCap reads: "250W", "70%", "auto".
std::string Describe(const PowerCap& cap);

/// Parses "5" or "5%", 0 to 100. The Error says what is accepted.
Result<Slowdown> ParseSlowdown(std::string_view text);
/// The slowdown as text that ParseSlowdown reads: "5%".
std::string Describe(const Slowdown& slowdown);

}  // namespace ebb::core
