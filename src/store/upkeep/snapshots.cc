#include "store/upkeep/snapshots.h"

#include <algorithm>
#include <utility>

#include "engine/state_json.h"
#include "store/database/write_group.h"

namespace ebb::store {
namespace {

// Lines are stored in chunks, because a row for each costs more than the line itself.
constexpr std::size_t kChunkBytes = 128 << 10;

Status AddLines(engine::SnapshotReader& reader, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1);
    EBB_RETURN_IF_ERROR(reader.Add(lines.substr(0, end)));
    lines.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

Status BeginSnapshot(Database& database, const SnapshotRecord& record) {
  EBB_RETURN_IF_ERROR(database.Run("DELETE FROM snapshots WHERE complete = 0"));
  return database.Run(
      "INSERT INTO snapshots(id, seq, at_ms, continues, complete) VALUES(?, ?, ?, ?, 0)",
      {record.id, record.seq, Milliseconds(record.at), std::int64_t{record.continues ? 1 : 0}});
}

Status AddSnapshotLines(Database& database, std::int64_t snapshot, std::int64_t number,
                        std::string lines) {
  return database.Run("INSERT INTO snapshot_lines(snapshot, number, lines) VALUES(?, ?, ?)",
                      {snapshot, number, std::move(lines)});
}

Status CompleteSnapshot(Database& database, std::int64_t snapshot) {
  EBB_RETURN_IF_ERROR(
      database.Run("DELETE FROM snapshots WHERE id < (SELECT max(id) FROM snapshots WHERE"
                   " complete = 1)"));
  return database.Run("UPDATE snapshots SET complete = 1 WHERE id = ?", {snapshot});
}

Status WriteSnapshot(Database& database, const engine::Engine& engine,
                     const SnapshotRecord& record) {
  EBB_RETURN_IF_ERROR(BeginSnapshot(database, record));
  Status written;
  std::int64_t number = 0;
  std::string chunk;
  const auto flush = [&] {
    if (!written || chunk.empty()) return;
    written = AddSnapshotLines(database, record.id, number++, std::exchange(chunk, {}));
  };
  engine::WriteSnapshot(engine, [&](std::string_view line) {
    chunk += line;
    chunk += '\n';
    if (chunk.size() > kChunkBytes) flush();
  });
  flush();
  if (!written) return written;
  return CompleteSnapshot(database, record.id);
}

Result<std::vector<SnapshotRecord>> ListSnapshots(Database& database) {
  std::vector<SnapshotRecord> records;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT id, seq, at_ms, continues FROM snapshots WHERE complete = 1 ORDER BY id", {},
      [&](const Row& row) -> Status {
        records.push_back(
            {row.Integer(0), row.Integer(1), Time{Duration{row.Integer(2)}}, row.Integer(3) != 0});
        return {};
      }));
  return records;
}

Result<engine::Memory> ReadSnapshot(Database& database, const SnapshotRecord& record) {
  engine::SnapshotReader reader;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT lines FROM snapshot_lines WHERE snapshot = ? ORDER BY number",
                     {record.id}, [&](const Row& row) { return AddLines(reader, row.Text(0)); }));
  return reader.Finish();
}

}  // namespace ebb::store
