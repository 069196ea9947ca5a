#pragma once
// The port of the journal. A decision is stored before it is carried out; on start the stored
// records are replayed (engine/journal_json.h). User: store/service_store.

#include "base/result.h"
#include "engine/journal_record.h"

namespace ebb::runtime {

using engine::JournalRecord;

class Journal {
 public:
  virtual ~Journal() = default;
  /// Appends a record. When a decision's Append returns, the decision and every record before it
  /// are durable.
  virtual Status Append(const JournalRecord& record) = 0;
  /// Makes the appended records durable.
  virtual Status Commit() { return {}; }
};

}  // namespace ebb::runtime
