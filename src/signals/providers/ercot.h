#pragma once
// ERCOT's dashboard of the fuel mix: megawatts by fuel every five minutes of yesterday and today,
// as JSON, no key. Stamps have an offset from UTC and are some seconds before the end of their five
// minutes. Layout from public clients.

#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kErcotUrl = "https://www.ercot.com";
inline constexpr const char* kErcotZone = "US-TEX-ERCO";

Result<std::vector<GenerationRow>> ParseErcot(std::string_view body, const std::string& where);

Result<OperatorMix> ErcotMix(std::string base_url, core::Boundary boundary);

}  // namespace ebb::signals
