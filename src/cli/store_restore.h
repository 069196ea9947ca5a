#pragma once
// ebb store restore: a backup in place of the store (store/restore.h), and what that means for the
// folders of the jobs and for programs that run.

#include <string>

#include "base/result.h"

namespace ebb::cli {

struct StoreRestoreRequest {
  std::string backup, store;
  bool replay = true;  ///< make every decision of the backup again, as ebb store check does
  bool dry_run = false;
  bool end_programs = false;  ///< of jobs that the backup does not know
  bool json = false;
};

Result<int> RestoreStore(const StoreRestoreRequest& request);

}  // namespace ebb::cli
