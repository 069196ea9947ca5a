#pragma once
// The grid clock that a store belongs to: today's, or that of one replay. All times in the store
// are on that clock. On another clock jobs would be submitted after their latest start, and ledgers
// would lie years apart.

#include <optional>

#include "store/service_store.h"

namespace ebb::store {

struct StoreClock {
  bool replayed = false;
  std::optional<Time> start{};  ///< grid time of the first start, if somebody chose it
  double speed = 1;             ///< grid seconds per wall second
  bool skip_waits = false;
};

/// Binds the store to this clock if it has none yet (it is new, or of an older version). An Error:
/// it belongs to another clock. A replay without a chosen start goes on where the one before it
/// stopped. Durable with the next commit.
Status ClaimClock(ServiceStore& store, const StoreClock& clock);

/// Wall time that a duration on the store's clock takes: the same, or less if a replay runs faster.
Result<Duration> OnWall(Database& database, Duration grid);

/// Tells if the store belongs to a replay, whose times are not wall times.
Result<bool> IsReplayed(Database& database);

/// The time of the store's clock while no service runs: the wall's time, or where the replay
/// stopped.
Result<Time> TimeOfStore(Database& database, Time wall);
Result<Time> TimeOfStore(ServiceStore& store, Time wall);

}  // namespace ebb::store
