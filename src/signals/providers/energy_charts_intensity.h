#pragma once
// The carbon intensity of Energy-Charts (Fraunhofer ISE; CC BY 4.0; no key): /co2eq?country=de.
// Quarters of an hour of some forty European countries, average, in grams of CO2 equivalent: actual
// generation as far as it is known, Energy-Charts' own expectation after that. One question answers
// both. We found no statement of what its factors count (life cycle or fuel burnt), so the boundary
// is unknown unless the user states it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "signals/http/energy_charts_answer.h"
#include "signals/provider.h"

namespace ebb::signals {

/// The country whose values Energy-Charts has for a zone: "de" for DE, "uk" for GB. nullopt for
/// zones that it does not have and for parts of a country (DK-DK1), of which the country's mean
/// says too little.
std::optional<std::string> EnergyChartsCountry(std::string_view zone);

/// Reads an answer of /co2eq. A value of co2eq is measured, one of co2eq_forecast kForecast, and if
/// both are null there is a gap.
Result<Payload> ParseEnergyChartsIntensity(std::string_view body, const std::string& where);

struct EnergyChartsIntensityOptions {
  std::string base_url = kEnergyChartsUrl;
  std::string zone;
  std::string country;
  core::Boundary boundary = core::Boundary::kUnknown;
};
std::unique_ptr<Provider> MakeEnergyChartsIntensity(EnergyChartsIntensityOptions options,
                                                    HttpGetFunction http_get);

}  // namespace ebb::signals
