#include "signals/zone_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/text.h"
#include "core/signal/countries.h"
#include "signals/cloud_regions.h"
#include "signals/feeds/profile_worth.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/zone_guess.h"

namespace ebb::signals {
namespace {

// Names of GB-1 to GB-17 by the UK Carbon Intensity API.
constexpr std::array<std::string_view, 17> kUkRegions{"North Scotland",
                                                      "South Scotland",
                                                      "North West England",
                                                      "North East England",
                                                      "Yorkshire",
                                                      "North Wales and Merseyside",
                                                      "South Wales",
                                                      "West Midlands",
                                                      "East Midlands",
                                                      "East England",
                                                      "South West England",
                                                      "South England",
                                                      "London",
                                                      "South East England",
                                                      "England",
                                                      "Scotland",
                                                      "Wales"};

struct Coordinates {
  double latitude = 0, longitude = 0;  ///< radians
};

// A row of zone.tab.
struct ClockPlace {
  std::string_view country, time_zone;
  Coordinates at;
};

// `text` is "+5230" or "-340352": degrees, minutes, and maybe seconds.
double RadiansOf(std::string_view text, std::size_t degree_digits) {
  const auto number = [&](std::size_t from, std::size_t size) {
    return from + size <= text.size() ? ParseNumber(text.substr(from, size)).value_or(0) : 0.0;
  };
  const double degrees = number(1, degree_digits) + number(1 + degree_digits, 2) / 60 +
                         number(3 + degree_digits, 2) / 3600;
  return (text.starts_with('-') ? -degrees : degrees) * std::numbers::pi / 180;
}

std::vector<ClockPlace> ClockPlaces(std::string_view zone_tab) {
  std::vector<ClockPlace> places;
  for (const std::string_view line : Split(zone_tab, '\n')) {
    const auto fields = Split(line, '\t');
    if (line.starts_with('#') || fields.size() < 3) continue;
    const auto second = fields[1].find_first_of("+-", 1);
    if (second == std::string_view::npos) continue;
    places.push_back(
        {fields[0],
         fields[2],
         {RadiansOf(fields[1].substr(0, second), 2), RadiansOf(fields[1].substr(second), 3)}});
  }
  return places;
}

double Distance(Coordinates a, Coordinates b) {
  const double along =
      std::sin(a.latitude) * std::sin(b.latitude) +
      std::cos(a.latitude) * std::cos(b.latitude) * std::cos(a.longitude - b.longitude);
  return std::acos(std::clamp(along, -1.0, 1.0));
}

std::set<std::string> AllZones() {
  std::set<std::string> zones;
  for (const ZoneProfile& profile : ZoneProfiles()) zones.emplace(profile.zone);
  for (const std::string_view part : PartsWithProfiles()) zones.emplace(part);
  for (const CloudRegion& region : CloudRegions()) zones.emplace(region.zone);
  for (std::size_t region = 1; region <= kUkRegions.size(); ++region)
    zones.insert("GB-" + std::to_string(region));
  for (const core::Country& country : core::Countries())
    if (country.has_mean()) zones.emplace(country.iso2);
  return zones;
}

std::string PlaceOf(const std::string& zone) {
  const ProfileWorth* worth = WorthOfProfile(zone);
  if (worth && worth->zone == zone) return worth->place;
  if (zone.starts_with("GB-"))
    if (const auto region = ParseInteger(zone.substr(3)))
      return std::string(kUkRegions[static_cast<std::size_t>(*region - 1)]);
  const core::Country* country = core::CountryOfZone(zone);
  EBB_CHECK(country != nullptr);
  return (zone == country->iso2 ? "" : "part of ") + std::string(country->name);
}

std::optional<double> MeanOf(const std::string& zone) {
  const ProfileWorth* worth = WorthOfProfile(zone);
  if (worth && worth->zone == zone) return worth->mean_g_per_kwh;
  const core::Country* country = core::CountryOfZone(zone);
  if (zone == country->iso2 && country->has_mean()) return country->mean_g_per_kwh;
  return std::nullopt;
}

ListedZone Listed(const std::string& zone) {
  ListedZone listed{zone, PlaceOf(zone), SourceChain(zone, {}), {}, MeanOf(zone), {}, {}};
  const auto usable = std::find_if(listed.chain.begin(), listed.chain.end(),
                                   [](const SourceLink& link) { return link.usable; });
  EBB_CHECK(usable != listed.chain.end());
  listed.source = usable->source;
  const core::Country* country = core::CountryOfZone(zone);
  listed.words = {std::string(country->name), std::string(country->iso3)};
  for (const CloudRegion& region : CloudRegions()) {
    if (region.zone != zone) continue;
    listed.cloud_regions.push_back(std::string(region.provider) + "/" + std::string(region.region));
    listed.words.emplace_back(region.location);
  }
  return listed;
}

// 0: the text is the zone's name; 1: the name begins with it; 2: the place contains it; 3: anything
// else does; nullopt: nothing does.
std::optional<int> RankOf(const ListedZone& listed, const std::string& text) {
  const std::string zone = Lowercase(listed.zone);
  const auto holds = [&](const std::string& word) {
    return Lowercase(word).find(text) != std::string::npos;
  };
  if (zone == text) return 0;
  if (zone.starts_with(text)) return 1;
  if (holds(listed.place)) return 2;
  if (holds(listed.zone) || std::ranges::any_of(listed.words, holds) ||
      std::ranges::any_of(listed.cloud_regions, holds))
    return 3;
  return std::nullopt;
}

// A place for each zone and country: a zone has its city or one of its cloud regions, a country its
// first place.
std::map<std::string, Coordinates> PlacesOfZones(const std::vector<ClockPlace>& places,
                                                 std::string_view zone_tab) {
  std::map<std::string, Coordinates> found;
  for (const ClockPlace& place : places) {
    if (const auto zone = ZoneOfTimeZone(place.time_zone, zone_tab)) found.emplace(*zone, place.at);
    found.emplace(place.country, place.at);
  }
  for (const CloudRegion& region : CloudRegions())
    for (const ClockPlace& place : places)
      if (place.time_zone == region.time_zone) found.emplace(region.zone, place.at);
  return found;
}

}  // namespace

std::vector<ListedZone> ListZones(std::string_view zone_tab) {
  std::vector<ListedZone> zones;
  for (const std::string& zone : AllZones()) zones.push_back(Listed(zone));
  for (const ClockPlace& place : ClockPlaces(zone_tab)) {
    const auto zone = ZoneOfTimeZone(place.time_zone, zone_tab);
    const auto it = std::ranges::find(zones, zone.value_or(""), &ListedZone::zone);
    if (it == zones.end()) continue;
    std::string city(place.time_zone.substr(place.time_zone.rfind('/') + 1));
    std::ranges::replace(city, '_', ' ');
    it->words.push_back(std::move(city));
  }
  return zones;
}

std::vector<ListedZone> FindZones(std::vector<ListedZone> zones, std::string_view text) {
  const std::string wanted = Lowercase(Trim(text));
  std::erase_if(zones, [&](const ListedZone& zone) { return !RankOf(zone, wanted); });
  std::ranges::stable_sort(zones, {},
                           [&](const ListedZone& zone) { return *RankOf(zone, wanted); });
  return zones;
}

void SortByNearness(std::vector<ListedZone>& zones, std::string_view time_zone,
                    std::string_view zone_tab) {
  const std::vector<ClockPlace> places = ClockPlaces(zone_tab);
  const auto here = std::ranges::find(places, time_zone, &ClockPlace::time_zone);
  if (here == places.end()) return;
  const std::string suggested = ZoneOfTimeZone(time_zone, zone_tab).value_or("");
  const auto known = PlacesOfZones(places, zone_tab);
  std::ranges::stable_sort(zones, {}, [&](const ListedZone& listed) {
    const std::string country = listed.zone.substr(0, 2);
    const auto own = known.find(listed.zone);
    const auto at = own != known.end() ? own : known.find(country);
    return std::tuple(listed.zone != suggested, country != here->country,
                      at == known.end() ? 4.0 : Distance(here->at, at->second));
  });
}

}  // namespace ebb::signals
