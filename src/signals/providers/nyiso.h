#pragma once
// New York ISO's real-time fuel mix: megawatts by fuel every five minutes, as CSV, no key, a file a
// local day. Rows state whether their time is standard or summer time, and it is the end of their
// five minutes. Layout from public clients and copies of its files.

#include <memory>
#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kNyisoUrl = "https://mis.nyiso.com/public/csv";
inline constexpr const char* kNyisoZone = "US-NY-NYIS";

Result<std::vector<GenerationRow>> ParseNyiso(std::string_view body, const std::string& where);

Result<OperatorMix> NyisoMix(std::string base_url, core::Boundary boundary);

}  // namespace ebb::signals
