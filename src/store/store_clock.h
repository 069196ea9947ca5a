#pragma once
// Which grid clock a store belongs to: that of today, or one replay. All times in it are on that
// clock; on another one jobs would be submitted after their latest start, and ledgers would lie
// years apart.

#include <optional>

#include "store/service_store.h"

namespace ebb::store {

struct StoreClock {
  bool replayed = false;
  std::optional<Time> start{};  ///< grid time of the first start, where somebody chose it
  double speed = 1;             ///< grid seconds per wall second
  bool skip_waits = false;
};

/// The store belongs to this clock from now on, where it belonged to none (it is new, or of an
/// older version). An Error where it belongs to another. A replay whose start nobody chose goes on
/// where the one before it stopped. Durable with the next commit.
Status ClaimClock(ServiceStore& store, const StoreClock& clock);

/// How long a time of that clock takes: that long, or a part of it where a replay runs faster.
Result<Duration> OnWall(Database& database, Duration grid);

/// Whether the store belongs to a replay, whose times are not those of the wall.
Result<bool> IsReplayed(Database& database);

/// What that clock shows while no service runs: the wall's time, or where the replay stopped.
Result<Time> TimeOfStore(Database& database, Time wall);

}  // namespace ebb::store
