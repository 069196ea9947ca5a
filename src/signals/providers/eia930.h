#pragma once
// EIA-930 of the U.S. Energy Information Administration: net generation by fuel and hour of every
// American balancing authority, as JSON, with a free key. Values come hours late, often the next
// morning, and are revised, so that Ebb's own forecast covers the hours up to now. Layout from the
// API's documentation and public clients.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kEiaUrl = "https://api.eia.gov";
inline constexpr const char* kEiaKeyVariable = "EIA_API_KEY";

/// The balancing authority of a zone: "CISO" for US-CAL-CISO, "US48" for US. nullopt for other
/// zones, and for Alaska and Hawaii, which do not report.
std::optional<std::string> EiaRespondent(std::string_view zone);

/// Reads rows of fuel-type-data; a row's time is the end of its hour.
Result<std::vector<GenerationRow>> ParseEia930(std::string_view body, const std::string& where);

struct Eia930Options {
  std::string base_url = kEiaUrl;
  std::string zone;
  std::string respondent;
  std::string key;
  core::Boundary boundary = core::Boundary::kLifecycle;
};
OperatorMix Eia930Mix(const Eia930Options& options);

}  // namespace ebb::signals
