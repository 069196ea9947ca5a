#pragma once
// Countries with their ISO 3166-1 codes, and the yearly mean intensity of the electricity they
// generate, where one is published. A zone begins with its country's two-letter code
// ("US-CAL-CISO").
//
// A yearly mean says nothing about the hour: use it where only the country is known, and say so.
// Source of the figures: country_table.cc.

#include <span>
#include <string>
#include <string_view>

namespace ebb::core {

struct Country {
  std::string_view iso2;      ///< "FR"
  std::string_view iso3;      ///< "FRA"
  std::string_view name;      ///< "France"
  double mean_g_per_kwh = 0;  ///< life cycle; means nothing without a year
  int year = 0;               ///< of the mean; 0: no mean is known

  bool has_mean() const { return year != 0; }
};

/// All of them, in the order of their two-letter codes.
std::span<const Country> Countries();

/// By a code or the name, in any case; nullptr where there is none.
const Country* FindCountry(std::string_view code_or_name);
/// Of a zone: what stands before its first "-". nullptr where that is no two-letter code.
const Country* CountryOfZone(std::string_view zone);

/// " (did you mean ...?)" with the country that was probably meant, or "".
std::string CountrySuggestionText(std::string_view code_or_name);

}  // namespace ebb::core
