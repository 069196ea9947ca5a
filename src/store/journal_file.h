#pragma once
// The journal as an append-only file of JSON lines (engine/journal_json.h). A decision is on the
// disk, with everything before it, when Append returns; a crash costs at most what came after the
// last decision, and leaves at most one torn line, which readers drop.

#include <vector>

#include "platform/file.h"
#include "runtime/journal.h"

namespace ebb::store {

class JournalFile final : public runtime::Journal {
 public:
  /// Appends to the file, creating it. A torn last line is cut off first.
  static Result<JournalFile> Open(const platform::Path& path);
  Status Append(const runtime::JournalRecord& record) override;

 private:
  explicit JournalFile(platform::LineWriter writer) : writer_(std::move(writer)) {}
  platform::LineWriter writer_;
};

/// Every record; a torn last line is left out, any other bad line is an Error that names its
/// number.
Result<std::vector<runtime::JournalRecord>> ReadJournal(const platform::Path& path);

}  // namespace ebb::store
