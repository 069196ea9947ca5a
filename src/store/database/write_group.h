#pragma once
// Writes that become durable together. They wait in memory until Commit has written all of them in
// one transaction; after a failure they go on waiting, and Commit is called again. A group is never
// written in part.
//
// Thread contract: one thread, that of the database.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/database/database.h"

namespace ebb::store {

class WriteGroup {
 public:
  /// `sql` must be a literal: it is not copied.
  void Add(std::string_view sql, Values values) { writes_.push_back({sql, std::move(values)}); }
  std::size_t size() const { return writes_.size(); }
  /// Drops everything after the first `size` writes.
  void Truncate(std::size_t size) { writes_.resize(std::min(size, writes_.size())); }

  Status Commit(Database& database) {
    if (writes_.empty()) return {};
    Status done = database.Transaction([&]() -> Status {
      for (const Write& write : writes_) EBB_RETURN_IF_ERROR(database.Run(write.sql, write.values));
      return {};
    });
    if (done) writes_.clear();
    return done;
  }

 private:
  struct Write {
    std::string_view sql;
    Values values;
  };
  std::vector<Write> writes_;
};

/// NULL if there is no time.
inline Value MillisecondsOrNull(const std::optional<Time>& time) {
  return time ? Value{Milliseconds(*time)} : Value{};
}
inline Value TextOrNull(const std::string& text) { return text.empty() ? Value{} : Value{text}; }

}  // namespace ebb::store
