#pragma once
// OpenElectricity (once OpenNEM): megawatts by technology every five minutes of Australia's
// networks, as the JSON that its own pages show, no key. Rooftop solar is included. Values of the
// National Electricity Market are minutes old, those of Western Australia up to a day. Layout from
// public clients and a copy of its answers.

#include <optional>
#include <string>
#include <string_view>

#include "signals/generation/operator_mix.h"

namespace ebb::signals {

inline constexpr const char* kOpenElectricityUrl = "https://data.openelectricity.org.au";

/// The path of a zone's answers: "NEM/NSW1", "WEM". nullopt for other zones.
std::optional<std::string> OpenElectricityPath(std::string_view zone);

/// Whether a zone's values come up to a day late: then typical days say more of the present.
bool OpenElectricityIsLate(std::string_view zone);

Result<std::vector<GenerationRow>> ParseOpenElectricity(std::string_view body,
                                                        const std::string& where);

/// `path` is OpenElectricityPath of the zone.
OperatorMix OpenElectricityMix(std::string base_url, std::string zone, const std::string& path,
                               core::Boundary boundary);

}  // namespace ebb::signals
