#pragma once
// What the grid was, as far as this service heard of it: a longer memory than any source's window.
// For each interval the best value is kept: measured beats estimated, which beats forecast, which
// beats modelled; among equals the newer one.

#include "core/intensity.h"
#include "store/write_group.h"

namespace ebb::store {

void AddSignal(WriteGroup& group, const core::IntensitySeries& series);

/// What the latest stored value belongs to: a service has one site, and with it one signal. Its
/// zone is empty where nothing is stored.
Result<core::SignalIdentity> LatestSignal(Database& database);

/// The stored values that overlap `window`. `source` of the identity is that of the latest sample.
Result<core::IntensitySeries> SignalHistory(Database& database,
                                            const core::SignalIdentity& identity, Interval window);

}  // namespace ebb::store
