#pragma once
// MISO's fuel mix: megawatts by category every five minutes of yesterday and today, as JSON, no
// key. Stamps are Eastern Standard Time in summer too, on a clock of twelve hours. "Other" is hydro
// power, diesel, waste and wood together, and so is left out of the mean. Layout from public
// clients.

#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kMisoUrl = "https://public-api.misoenergy.org";
inline constexpr const char* kMisoZone = "US-MIDW-MISO";

Result<std::vector<GenerationRow>> ParseMiso(std::string_view body, const std::string& where);

Result<OperatorMix> MisoMix(std::string base_url, core::Boundary boundary);

}  // namespace ebb::signals
