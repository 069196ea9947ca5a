#pragma once
// A limit on the power of a job's GPUs. It makes them slower, but the same work takes less energy,
// because power rises faster than speed towards the top. Values and text only;
// meter/gpu/power_limit.h sets the limit.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::core {

struct PowerCap {
  double watts = 0;    ///< limit of each GPU in watts; 0 if `percent` gives the limit
  double percent = 0;  ///< limit in percent of each GPU's default limit
  friend bool operator==(const PowerCap&, const PowerCap&) = default;
};

/// Parses "250", "250W", "250 W" or "70%". The Error says what is accepted.
Result<PowerCap> ParsePowerCap(std::string_view text);
/// The limit as text that ParsePowerCap reads: "250W", "70%".
std::string Describe(const PowerCap& cap);

}  // namespace ebb::core
