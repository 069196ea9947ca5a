#pragma once
// A backup in place of the store, while no service runs. Nothing of the store that is replaced is
// lost: it stays beside the new one under another name, and its job numbers are not given again.
//
// Made in two steps, so that a person can be told before what comes of it: Prepare copies the
// backup beside the store, upgrades and checks the copy, and compares; Finish exchanges the files.
// Until then nothing has changed, and the copy goes with the object.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/submission.h"
#include "engine/decision.h"
#include "platform/file_lock.h"
#include "store/database.h"
#include "store/store_check.h"

namespace ebb::store {

struct RestoreRequest {
  platform::Path backup, store;
  platform::Path jobs;  ///< the folder that holds those of the jobs
  /// How the copy is checked; by the copy itself.
  std::function<Result<CheckOptions>(Database&)> check;
};

/// A job of the store that is replaced.
struct ReplacedJob {
  core::JobId id = 0;
  std::string name;
  engine::Stage stage = engine::Stage::kWaiting;
};

/// What a backup and the store in its place do not have in common.
struct RestoreDifference {
  std::int64_t jobs = 0;            ///< in the backup
  std::optional<Time> newest;       ///< when the last of them was submitted
  std::vector<ReplacedJob> lost;    ///< in the store and not in the backup, by id
  std::vector<ReplacedJob> undone;  ///< ended in the store, not in the backup; by id
  std::string unknown;  ///< why the store cannot be compared: there is none, it is damaged, ...
};

class Restore {
 public:
  /// An Error where a service uses the store, or the backup cannot be relied on.
  static Result<Restore> Prepare(const RestoreRequest& request);
  const RestoreDifference& difference() const { return difference_; }
  /// Folders of jobs that the backup does not know.
  const std::vector<core::JobId>& unknown_folders() const { return unknown_folders_; }
  core::JobId next_job() const { return next_job_; }

  /// Where the replaced store is now; nothing where there was none.
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
  /// Beside the store; removed with what SQLite has beside it, unless it was moved into its place.
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
