#pragma once
// Snapshots of the engine (engine/state_json.h) in the database. The latest two are kept: recovery
// reads the latest, `ebb store check` replays the journal from the one before to it.

#include <optional>

#include "engine/engine.h"
#include "store/database/database.h"

namespace ebb::store {

struct SnapshotRecord {
  std::int64_t id = 0;
  std::int64_t seq = 0;  ///< the last record of the journal that the snapshot includes
  Time at{};
  /// The journal leads from the snapshot before to this one. False after a recovery: plans that
  /// were made since the last snapshot are then made anew.
  bool continues = false;
};

// All of these functions must be called inside a transaction of the caller.

/// Writes the snapshot and drops all but the one before it.
Status WriteSnapshot(Database& database, const engine::Engine& engine,
                     const SnapshotRecord& record);
/// Writes a snapshot in parts: begin it, add some lines at a time, and complete it, which makes it
/// visible to readers. Beginning drops an earlier snapshot that was not completed.
Status BeginSnapshot(Database& database, const SnapshotRecord& record);
Status AddSnapshotLines(Database& database, std::int64_t snapshot, std::int64_t number,
                        std::string lines);
Status CompleteSnapshot(Database& database, std::int64_t snapshot);
/// The complete snapshots, oldest first; ids ascend.
Result<std::vector<SnapshotRecord>> ListSnapshots(Database& database);
Result<engine::Memory> ReadSnapshot(Database& database, const SnapshotRecord& record);

}  // namespace ebb::store
