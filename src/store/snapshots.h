#pragma once
// Snapshots of the engine (engine/state_json.h) in the database. The latest two are kept: recovery
// reads the latest, `ebb store check` replays the journal from the one before to it.

#include <optional>

#include "engine/engine.h"
#include "store/database.h"

namespace ebb::store {

struct SnapshotRecord {
  std::int64_t id = 0;
  std::int64_t seq = 0;  ///< the last record of the journal that is in it
  Time at{};
  /// The journal leads to it from the snapshot before. Not after a recovery: the plans that were
  /// made since the last snapshot are made anew then.
  bool continues = false;
};

// All of these inside transactions of the caller.

/// Writes the snapshot and drops all but the one before it.
Status WriteSnapshot(Database& database, const engine::Engine& engine,
                     const SnapshotRecord& record);
/// The same in parts: begun, so many lines at a time, and there for readers once it is completed.
/// Drops what was begun before and not completed.
Status BeginSnapshot(Database& database, const SnapshotRecord& record);
Status AddSnapshotLines(Database& database, std::int64_t snapshot, std::int64_t number,
                        std::string lines);
Status CompleteSnapshot(Database& database, std::int64_t snapshot);
/// Those that are complete, oldest first; id ascending.
Result<std::vector<SnapshotRecord>> ListSnapshots(Database& database);
Result<engine::Memory> ReadSnapshot(Database& database, const SnapshotRecord& record);

}  // namespace ebb::store
