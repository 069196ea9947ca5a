#pragma once
// A modelled signal for machines without data or network: the typical day of a zone and season
// (zone_profiles.h) with a seeded level that wanders from day to day, or NEO's table of 24 values.
// Every value is kModelled. Deterministic in seed and time; any hour can be computed alone.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/signal_feed.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// The zones that have a profile, in the order of the table.
std::vector<std::string> ProfileZones();

/// The Error for a zone without typical days; it suggests the nearest name that has some.
Error NoProfileOf(std::string_view zone);

/// A feed of the typical days of `zone`, or of the zone that it is a part of; otherwise
/// NoProfileOf.
Result<std::unique_ptr<runtime::SignalFeed>> MakeZoneProfileFeed(std::string_view zone,
                                                                 std::uint64_t seed);

/// NEO's mock table, exactly: 24 values by the hour of a local clock, which follows summer time.
std::unique_ptr<runtime::SignalFeed> MakeNeoProfileFeed(const NeoClock& clock);

}  // namespace ebb::signals
