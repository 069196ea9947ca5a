#pragma once
// The choice of a zone's source if the user names only the zone: a chain in order, with the reason
// why each link is or is not used. First Electricity Maps if the user has its key, then live
// sources that need none, then sources of late reports for users with a key (key_services.h), then
// typical days, and last the yearly mean of the country. Only one link is used: a model never
// stands in for a zone that has a live source; there, a network that is down is an Error. Values of
// another kind (marginal) or boundary are not mixed in: such a source must be named.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "signals/cloud_metadata.h"
#include "signals/signal_options.h"

namespace ebb::signals {

struct SourceLink {
  SignalSource source;
  bool usable = false;
  std::string why;
};

enum class ChoiceOf { kAnySource, kLiveOnly };

/// If the zone names a cloud region ("aws/us-west-2", or "cloud" for this machine's), replaces it
/// by the region's grid zone and notes where that came from. Only "cloud" asks a service.
Status SettleZone(
    SignalOptions& options,
    const std::function<Result<const CloudRegion*>()>& region_of_this_machine = [] {
      static const auto region = RegionOfThisMachine();
      return region;
    });

/// Whether there are typical days of this zone.
bool HasProfile(std::string_view zone);

/// The chain of a zone for a user with the keys of these sources (OwnKeys).
std::vector<SourceLink> SourceChain(std::string_view zone, const std::vector<SignalSource>& keys);

/// The source that publishes live values of this zone without a key.
std::optional<SignalSource> LiveWithoutKey(std::string_view zone);

/// The first usable link. kLiveOnly: if no link is usable, the Error names the whole chain.
Result<SignalSource> ChooseSource(const SignalOptions& options, ChoiceOf choice);

/// For people: "uk-carbon-intensity (needs no key), electricity-maps (not used: ...), ...".
std::string DescribeChain(const SignalOptions& options);

}  // namespace ebb::signals
