#pragma once
// Countries with their ISO 3166-1 codes, and the yearly mean intensity of the electricity that they
// generate, if one is published. A zone begins with its country's two-letter code ("US-CAL-CISO").
//
// A yearly mean says nothing about the hour: use it only if nothing but the country is known, and
// say so. Source of the figures: country_table.cc.

#include <span>
#include <string>
#include <string_view>

namespace ebb::core {

struct Country {
  std::string_view iso2;      ///< "FR"
  std::string_view iso3;      ///< "FRA"
  std::string_view name;      ///< "France"
  double mean_g_per_kwh = 0;  ///< life-cycle mean; meaningless if `year` is 0
  int year = 0;               ///< year of the mean; 0: no mean is known

  bool has_mean() const { return year != 0; }
};

/// All countries, in the order of their two-letter codes.
std::span<const Country> Countries();

/// Finds a country by a code or its name, in any case; nullptr if there is none.
const Country* FindCountry(std::string_view code_or_name);
/// The country of a zone, by the text before the zone's first "-"; nullptr if that is not a
/// two-letter code of a country.
const Country* CountryOfZone(std::string_view zone);

/// " (did you mean ...?)" with the country that the text probably means, or "".
std::string CountrySuggestionText(std::string_view code_or_name);

}  // namespace ebb::core
