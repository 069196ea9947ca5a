#pragma once
// Southwest Power Pool's generation mix: megawatts by fuel every five minutes of the last two
// hours, as CSV, no key. Stamps are UTC and mark the end of their five minutes: files of a year run
// from five past midnight to midnight. Layout from public clients and copies of its files.

#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kSppUrl = "https://portal.spp.org";
inline constexpr const char* kSppZone = "US-CENT-SWPP";

/// Reads the file; if it has a column of balancing authorities, only the rows of SPP itself. Some
/// files split a fuel into plants that run by their own choice and plants that the market called up
/// ("Coal Self", "Coal Market"): both count.
Result<std::vector<GenerationRow>> ParseSpp(std::string_view body, const std::string& where);

Result<OperatorMix> SppMix(std::string base_url, core::Boundary boundary);

}  // namespace ebb::signals
