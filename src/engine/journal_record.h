#pragma once
// A record of the journal. The journal holds, in order, every fact that the engine took and every
// decision that it made. The facts alone determine the decisions; the journal keeps both so that a
// replay can be checked.

#include <variant>

#include "engine/decision.h"
#include "engine/event.h"

namespace ebb::engine {

using JournalRecord = std::variant<Event, Decision>;

}  // namespace ebb::engine
