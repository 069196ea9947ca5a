#include "report/countries.h"

#include <array>

namespace ebb::report {
namespace {

struct Entry {
  std::string_view iso2, iso3, name;
};
constexpr std::array<Entry, 49> kCountries{
    {{"AT", "AUT", "Austria"},     {"AU", "AUS", "Australia"},      {"BE", "BEL", "Belgium"},
     {"BG", "BGR", "Bulgaria"},    {"BR", "BRA", "Brazil"},         {"CA", "CAN", "Canada"},
     {"CH", "CHE", "Switzerland"}, {"CL", "CHL", "Chile"},          {"CN", "CHN", "China"},
     {"CZ", "CZE", "Czechia"},     {"DE", "DEU", "Germany"},        {"DK", "DNK", "Denmark"},
     {"EE", "EST", "Estonia"},     {"ES", "ESP", "Spain"},          {"FI", "FIN", "Finland"},
     {"FR", "FRA", "France"},      {"GB", "GBR", "United Kingdom"}, {"GR", "GRC", "Greece"},
     {"HK", "HKG", "Hong Kong"},   {"HR", "HRV", "Croatia"},        {"HU", "HUN", "Hungary"},
     {"ID", "IDN", "Indonesia"},   {"IE", "IRL", "Ireland"},        {"IL", "ISR", "Israel"},
     {"IN", "IND", "India"},       {"IS", "ISL", "Iceland"},        {"IT", "ITA", "Italy"},
     {"JP", "JPN", "Japan"},       {"KR", "KOR", "South Korea"},    {"LT", "LTU", "Lithuania"},
     {"LU", "LUX", "Luxembourg"},  {"LV", "LVA", "Latvia"},         {"MX", "MEX", "Mexico"},
     {"MY", "MYS", "Malaysia"},    {"NL", "NLD", "Netherlands"},    {"NO", "NOR", "Norway"},
     {"NZ", "NZL", "New Zealand"}, {"PL", "POL", "Poland"},         {"PT", "PRT", "Portugal"},
     {"RO", "ROU", "Romania"},     {"SE", "SWE", "Sweden"},         {"SG", "SGP", "Singapore"},
     {"SI", "SVN", "Slovenia"},    {"SK", "SVK", "Slovakia"},       {"TR", "TUR", "Turkey"},
     {"TW", "TWN", "Taiwan"},      {"UA", "UKR", "Ukraine"},        {"US", "USA", "United States"},
     {"ZA", "ZAF", "South Africa"}}};

}  // namespace

Country CountryOfZone(std::string_view zone) {
  const std::string_view code = zone.substr(0, zone.find('-'));
  for (const Entry& entry : kCountries)
    if (entry.iso2 == code) return {std::string(entry.iso3), std::string(entry.name)};
  return {};
}

}  // namespace ebb::report
