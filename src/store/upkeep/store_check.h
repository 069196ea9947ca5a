#pragma once
// Checks if a store is reliable: the file (integrity_check, foreign keys), the journal (no record
// missing, each readable, each accepted by an engine that folds it in, the latest snapshot where
// the one before leads to; on request every decision made again, byte for byte), the jobs (each row
// agrees with the journal), the ledger (each job's sums equal those of its rows), the sweeps (each
// verdict of successive halving judged again). The check only reads, as of one moment, and may run
// beside the service.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/database/database.h"

namespace ebb::engine {
class Engine;
}

namespace ebb::store {

struct CheckOptions {
  /// Makes the engine that the service had (engine_setup.h). Empty: decisions are not made again.
  std::function<std::unique_ptr<engine::Engine>()> make_engine;
};

/// The result for one checked aspect.
struct CheckResult {
  std::string what;                   ///< "journal: 4120 records"
  std::vector<std::string> problems;  ///< at most ten are named; empty: no problem
};

/// Runs the check. An Error: the store cannot be read at all.
Result<std::vector<CheckResult>> CheckStore(Database& database, const CheckOptions& options);

}  // namespace ebb::store
