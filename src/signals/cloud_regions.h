#pragma once
// The grid zone of each cloud region. A row is a fact with two sources: the provider's list of
// places (aws.amazon.com/about-aws/global-infrastructure,
// cloud.google.com/compute/docs/regions-zones, learn.microsoft.com/azure/reliability/regions-list),
// and the zone of Electricity Maps that covers the place (its list of data centres, August 2026).
// Data only; a region that is not here is an error, and no neighbour stands in for it: the grid of
// a guess is a guess.

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::signals {

struct CloudRegion {
  std::string_view provider;  ///< "aws", "gcp", "azure"
  std::string_view region;    ///< as the provider writes it: "us-west-2", "europe-west1", "westus2"
  std::string_view zone;      ///< Electricity Maps' key
  std::string_view time_zone;  ///< tz database name of the place
  std::string_view location;   ///< as the provider names the place
};

/// Ordered by provider and region; none twice.
std::span<const CloudRegion> CloudRegions();

/// A zone option may name a place of a cloud instead: "aws/us-west-2", or "cloud" for this machine.
inline constexpr std::string_view kZoneOfThisMachine = "cloud";
bool NamesCloudRegion(std::string_view text);

/// The region of a text such as "aws/us-west-2", in any case; "google" and "gce" are gcp, and the
/// name of an availability zone (us-west-2b, europe-west1-c) is its region. AWS' local zones
/// (us-west-2-lax-1a) are other places on other grids: they are not known. Errors: an unknown
/// provider or region, with the nearest known name.
Result<const CloudRegion*> CloudRegionFromText(std::string_view text);

}  // namespace ebb::signals
