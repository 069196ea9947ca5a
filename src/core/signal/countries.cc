#include "core/signal/countries.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ebb::core {
namespace {

bool SameText(std::string_view a, std::string_view b) { return Lowercase(a) == Lowercase(b); }

template <typename Matches>
const Country* FirstCountry(Matches matches) {
  const auto countries = Countries();
  const auto found = std::find_if(countries.begin(), countries.end(), matches);
  return found == countries.end() ? nullptr : &*found;
}

// The usual code for codes that people write and that ISO 3166-1 has not given to another country.
std::string_view UsualCode(std::string_view code) {
  if (SameText(code, "UK")) return "GB";
  if (SameText(code, "EL")) return "GR";
  return code;
}

}  // namespace

const Country* FindCountry(std::string_view text) {
  return FirstCountry([&](const Country& country) {
    return SameText(country.iso2, text) || SameText(country.iso3, text) ||
           SameText(country.name, text);
  });
}

const Country* CountryOfZone(std::string_view zone) {
  const std::string_view code = zone.substr(0, zone.find('-'));
  return FirstCountry([&](const Country& country) { return country.iso2 == code; });
}

std::string CountrySuggestionText(std::string_view text) {
  if (const Country* usual = FindCountry(UsualCode(text)))
    return " (did you mean \"" + std::string(usual->iso3) + "\"?)";
  std::vector<std::string> names;
  for (const Country& country : Countries()) {
    if (text.size() > 3) names.emplace_back(country.name);
    if (text.size() <= 3) names.emplace_back(text.size() == 2 ? country.iso2 : country.iso3);
  }
  return SuggestionText(text, names);
}

}  // namespace ebb::core
