#pragma once
// History of the grid's intensity, as far as this service received it: it reaches back further than
// the window of any source. For each interval the best value is kept: measured beats estimated,
// which beats forecast, which beats modelled; among equals the newer one.

#include "core/signal/intensity.h"
#include "store/database/write_group.h"

namespace ebb::store {

void AddSignal(WriteGroup& group, const core::IntensitySeries& series);

/// The setting of a store with the signals of several zones: the zone of the service's own machine.
inline constexpr const char* kHomeZone = "home zone";

/// Identity of the latest stored value of the service's own machine. The zone is empty if nothing
/// is stored.
Result<core::SignalIdentity> LatestSignal(Database& database);

/// The stored values that overlap `window`. The identity's `source` is that of the latest sample.
Result<core::IntensitySeries> SignalHistory(Database& database,
                                            const core::SignalIdentity& identity, Interval window);

}  // namespace ebb::store
