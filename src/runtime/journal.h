#pragma once
// The port that remembers. A decision is stored before it is carried out; on start the stored
// records are replayed. Users: MemoryJournal (simulation, tests) and platform's file journal.

#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/decision.h"
#include "engine/event.h"

namespace ebb::runtime {

using JournalRecord = std::variant<engine::Event, engine::Decision>;

class Journal {
 public:
  virtual ~Journal() = default;
  /// Durable when it returns.
  virtual Status Append(const JournalRecord& record) = 0;
};

}  // namespace ebb::runtime
