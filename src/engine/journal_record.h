#pragma once
// What a journal holds, in the order in which it happened: every fact the engine took and every
// decision it made. The facts alone determine the decisions; both are kept so that a replay can be
// checked.

#include <variant>

#include "engine/decision.h"
#include "engine/event.h"

namespace ebb::engine {

using JournalRecord = std::variant<Event, Decision>;

}  // namespace ebb::engine
