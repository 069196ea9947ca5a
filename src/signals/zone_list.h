#pragma once
// All zones that Ebb knows something about without a key, as `ebb zones` lists them. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signals/choose_source.h"

namespace ebb::signals {

struct ListedZone {
  std::string zone;
  std::string place;              ///< "New South Wales", "part of Sweden"
  std::vector<SourceLink> chain;  ///< for a user without keys
  SignalSource source;            ///< the usable link: the source that the zone alone selects
  std::optional<double> mean_g_per_kwh;    ///< 2022-2023, or the latest year of the country
  std::vector<std::string> cloud_regions;  ///< "aws/us-west-2"
  std::vector<std::string> words;          ///< other words that find the zone: countries, cities
};

/// All zones in alphabetical order. `zone_tab`: the text of the time zone database's zone.tab, for
/// its cities.
std::vector<ListedZone> ListZones(std::string_view zone_tab);

/// The zones that `text` finds, in any case: the zone of that name first, then zones that begin
/// with it, then places, then the rest. The given order is kept within each group.
std::vector<ListedZone> FindZones(std::vector<ListedZone> zones, std::string_view text);

/// Sorts the zones nearest to a machine with that time zone to the front: the zone that it suggests
/// (zone_guess.h), the others of its country, and then by distance. Unchanged if the time zone
/// suggests nothing.
void SortByNearness(std::vector<ListedZone>& zones, std::string_view time_zone,
                    std::string_view zone_tab);

}  // namespace ebb::signals
