#pragma once
// A limit on the power of a job's GPUs: slower, and less energy for the same work, since power
// rises faster than speed towards the top. Values and text only; set by meter/gpu/power_limit.h.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::core {

struct PowerCap {
  double watts = 0;    ///< of each GPU; 0: `percent` says it
  double percent = 0;  ///< of each GPU's default limit
  friend bool operator==(const PowerCap&, const PowerCap&) = default;
};

/// "250", "250W", "250 W" or "70%". An Error says what is accepted.
Result<PowerCap> ParsePowerCap(std::string_view text);
/// As ParsePowerCap reads it: "250W", "70%".
std::string Describe(const PowerCap& cap);

}  // namespace ebb::core
