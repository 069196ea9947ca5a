#pragma once
// ebb store restore: puts a backup in place of the store (store/restore.h), and handles the folders
// of jobs and the programs that run.

#include <string>

#include "base/result.h"

namespace ebb::cli {

struct StoreRestoreRequest {
  std::string backup, store;
  bool replay = true;  ///< replays every decision of the backup, as ebb store check does
  bool dry_run = false;
  bool end_programs = false;  ///< ends programs of jobs that the backup does not contain
  bool json = false;
};

Result<int> RestoreStore(const StoreRestoreRequest& request);

}  // namespace ebb::cli
