#pragma once
// Which signal the store has of a zone (signal_records.h).

#include <string>

#include "core/signal/intensity.h"
#include "store/database/database.h"

namespace ebb::store {

/// Identity of the latest stored value of the zone. The zone is empty if nothing of it is stored.
Result<core::SignalIdentity> LatestSignalOf(Database& database, const std::string& zone);

}  // namespace ebb::store
