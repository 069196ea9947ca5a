#pragma once
// Actual generation by type of plant on the ENTSO-E transparency platform (document A75, process
// A16), with a free token: quarters of an hour or hours of European countries and bidding zones, an
// hour late and later. The consumption of pumps and batteries is another series and is not read.
// The layout is that of the platform's other documents.

#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

/// Reads rows of quarters of an hour; an hour becomes four of them.
Result<std::vector<GenerationRow>> ParseEntsoeGeneration(std::string_view body,
                                                         const std::string& where);

struct EntsoeGenerationOptions {
  std::string base_url;
  std::string zone;
  std::string area;  ///< "10Y1001A1001A83F"
  std::string token;
  core::Boundary boundary = core::Boundary::kLifecycle;
};
OperatorMix EntsoeGenerationMix(const EntsoeGenerationOptions& options);

}  // namespace ebb::signals
