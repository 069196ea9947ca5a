#pragma once
// Which grid zone a cloud region draws from. A row is a fact with two sources: where the provider
// says the region is (aws.amazon.com/about-aws/global-infrastructure,
// cloud.google.com/compute/docs/ regions-zones,
// learn.microsoft.com/azure/reliability/regions-list), and the zone of Electricity Maps that covers
// the place (its list of data centres, August 2026). Data only; a region that is not here is an
// error, never a neighbour: the grid of a guess is a guess.

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::signals {

struct CloudRegion {
  std::string_view provider;  ///< "aws", "gcp", "azure"
  std::string_view region;    ///< as the provider writes it: "us-west-2", "europe-west1", "westus2"
  std::string_view zone;      ///< Electricity Maps' key
  std::string_view time_zone;  ///< of the place, by its tz database name
  std::string_view location;   ///< as the provider names the place
};

/// Ordered by provider and region; none twice.
std::span<const CloudRegion> CloudRegions();

/// "aws/us-west-2" or "cloud": what stands where a zone could, and names a place of a cloud.
inline constexpr std::string_view kZoneOfThisMachine = "cloud";
bool NamesCloudRegion(std::string_view text);

/// From "aws/us-west-2", in any case; "google" and "gce" are gcp, and the name of an availability
/// zone (us-west-2b, europe-west1-c) is its region. AWS' local zones (us-west-2-lax-1a) are other
/// places on other grids: they are not known. Errors: an unknown provider or region, with what is
/// nearest.
Result<const CloudRegion*> CloudRegionFromText(std::string_view text);

}  // namespace ebb::signals
