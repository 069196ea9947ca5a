#pragma once
// The report of generators' output and capability of Ontario's operator IESO: megawatts of each
// plant of 20 MW and more by the hour, as XML, no key, a file a day. Its days and hours are Eastern
// Standard Time in summer too; hour 1 is the first. Batteries have the fuel "OTHER", and only their
// names tell them apart. Layout from public clients and copies of its files.

#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kIesoUrl = "https://reports-public.ieso.ca/public";
inline constexpr const char* kIesoZone = "CA-ON";

/// A category is one plant, so that a plant whose output is missing yet is not taken for one that
/// stands still.
Result<std::vector<GenerationRow>> ParseIeso(std::string_view body, const std::string& where);

Result<OperatorMix> IesoMix(std::string base_url, core::Boundary boundary);

}  // namespace ebb::signals
