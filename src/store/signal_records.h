#pragma once
// What the grid was, as far as this service heard of it: a longer memory than any source's window.
// For each interval the best value is kept: measured beats estimated, which beats forecast, which
// beats modelled; among equals the newer one.

#include "core/intensity.h"
#include "store/write_group.h"

namespace ebb::store {

void AddSignal(WriteGroup& group, const core::IntensitySeries& series);

/// The stored values that overlap `window`. `source` of the identity is that of the latest sample.
Result<core::IntensitySeries> SignalHistory(Database& database,
                                            const core::SignalIdentity& identity, Interval window);

}  // namespace ebb::store
