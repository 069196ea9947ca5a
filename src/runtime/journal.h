#pragma once
// The port that remembers. A decision is stored before it is carried out; on start the stored
// records are replayed (engine/journal_json.h). User: store/service_store.

#include "base/result.h"
#include "engine/journal_record.h"

namespace ebb::runtime {

using engine::JournalRecord;

class Journal {
 public:
  virtual ~Journal() = default;
  /// A decision is durable when it returns, and every record before it.
  virtual Status Append(const JournalRecord& record) = 0;
  /// Makes durable what was appended.
  virtual Status Commit() { return {}; }
};

}  // namespace ebb::runtime
