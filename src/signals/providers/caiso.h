#pragma once
// California ISO's "Today's Outlook": megawatts by fuel every five minutes, as CSV, no key. A file
// a local day, whose rows have only a time of day; rows of the future are there with blank fields.
// Layout from public clients and copies of its files; what "current" holds is taken to be today's.

#include <memory>
#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kCaisoUrl = "https://www.caiso.com/outlook";
inline constexpr const char* kCaisoZone = "US-CAL-CISO";

/// Reads fuelsource.csv of the local day "20260506". In an hour that the clock shows twice, values
/// count only if the file has it twice; values of an hour that is skipped never count.
Result<std::vector<GenerationRow>> ParseCaiso(std::string_view body, std::string_view day,
                                              const std::string& where);

Result<OperatorMix> CaisoMix(std::string base_url, core::Boundary boundary);

}  // namespace ebb::signals
