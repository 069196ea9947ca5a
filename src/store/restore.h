#pragma once
// Puts a backup in place of the store, while no service runs. The replaced store is not lost: it
// stays beside the new one under another name, and its job numbers are not given again.
//
// A restore has two steps, so that a person can see the consequences first: Prepare copies the
// backup beside the store, upgrades and checks the copy, and compares; Finish exchanges the files.
// Until Finish nothing has changed; the copy is removed with the object.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/submission.h"
#include "engine/decision.h"
#include "platform/file_lock.h"
#include "store/database/database.h"
#include "store/upkeep/store_check.h"

namespace ebb::store {

struct RestoreRequest {
  platform::Path backup, store;
  platform::Path jobs;  ///< the folder that holds the jobs' folders
  /// Makes the options for the check of the copy, from the copy itself.
  std::function<Result<CheckOptions>(Database&)> check;
};

/// A job of the store that is replaced.
struct ReplacedJob {
  core::JobId id = 0;
  std::string name;
  engine::Stage stage = engine::Stage::kWaiting;
};

/// The differences between a backup and the store that it replaces.
struct RestoreDifference {
  std::int64_t jobs = 0;            ///< in the backup
  std::optional<Time> newest;       ///< submission time of its last job
  std::vector<ReplacedJob> lost;    ///< in the store and not in the backup, by id
  std::vector<ReplacedJob> undone;  ///< ended in the store, not in the backup; by id
  std::string unknown;  ///< why the store cannot be compared: it is missing, damaged, ...
};

class Restore {
 public:
  /// Prepares a restore. An Error: a service uses the store, or the backup is not reliable.
  static Result<Restore> Prepare(const RestoreRequest& request);
  const RestoreDifference& difference() const { return difference_; }
  /// Folders of jobs that are not in the backup.
  const std::vector<core::JobId>& unknown_folders() const { return unknown_folders_; }
  core::JobId next_job() const { return next_job_; }

  /// Exchanges the files. Returns the new place of the replaced store; nothing if there was none.
  Result<std::optional<platform::Path>> Finish();

 private:
  Restore(RestoreRequest request, platform::FileLock lock)
      : request_(std::move(request)), lock_(std::move(lock)) {}
  Status MakeCopy();
  Status Compare(Database& copy);
  Status CompareJobs(Database& copy);
  Status TakeLastNumbers(Database& database);
  void FindFolders(Database& copy);
  Status KeepReplaced(const platform::Path& kept);

  RestoreRequest request_;
  platform::FileLock lock_;
  /// The copy beside the store; it is removed with SQLite's files unless it was moved into place.
  struct Copy {
    explicit Copy(platform::Path where);
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    void Remove() const;
    const platform::Path path;
  };
  std::unique_ptr<Copy> copy_;
  RestoreDifference difference_;
  std::vector<core::JobId> unknown_folders_;
  core::JobId next_job_ = 1;
  core::SweepId next_sweep_ = 1;
};

}  // namespace ebb::store
