#pragma once
// All zones of which something is known without a key, as `ebb zones` lists them. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signals/choose_source.h"

namespace ebb::signals {

struct ListedZone {
  std::string zone;
  std::string place;                     ///< "New South Wales", "part of Sweden"
  std::vector<SourceLink> chain;         ///< without a key
  SignalSource source;                   ///< what the zone alone gets: the usable link
  std::optional<double> mean_g_per_kwh;  ///< of 2022-2023, or the latest yearly mean of the country
  std::vector<std::string> cloud_regions;  ///< "aws/us-west-2"
  std::vector<std::string> words;          ///< what else finds it: countries, cities
};

/// In alphabetical order. `zone_tab`: the text of the time zone database's zone.tab, for its
/// cities.
std::vector<ListedZone> ListZones(std::string_view zone_tab);

/// Those that `text` finds in any case: the zone of that name first, then zones that begin with it,
/// then places, then the rest; in each of these the order that they had.
std::vector<ListedZone> FindZones(std::vector<ListedZone> zones, std::string_view text);

/// The nearest to a machine with that time zone first: the zone that it suggests (zone_guess.h),
/// the others of its country, and then by distance. As they are where it suggests nothing.
void SortByNearness(std::vector<ListedZone>& zones, std::string_view time_zone,
                    std::string_view zone_tab);

}  // namespace ebb::signals
