#pragma once
// A job of some service on this machine, which is a site of that service: its folder, and the
// attempts in it under supervisors of their own (local/supervisor/supervisor.h), which outlive the
// connection. Nothing here is remembered by a process: each request finds the state in the files.
//
// Thread contract: one thread.

#include <map>
#include <string>
#include <vector>

#include "local/files/attempt_files.h"
#include "local/supervisor/ending.h"
#include "platform/detached_process.h"
#include "platform/file_lock.h"
#include "sites/files/folder.h"
#include "sites/protocol/messages.h"

namespace ebb::sites {

struct SiteJobOptions {
  std::filesystem::path state;  ///< folder of all jobs of all services
  /// The command of a supervisor before the plan's path.
  std::vector<std::string> supervisor{"ebb", "supervise"};
  std::string supervisor_program = "/proc/self/exe";
};

/// The folders of a job: state/SERVICE/JOB-IDENTITY/run and /work. An Error: the key would lead
/// elsewhere.
Result<std::filesystem::path> FolderOf(const std::filesystem::path& state, const JobKey& job);
/// The same on another machine, whose state folder is `state`.
std::string RunFolderOn(const std::string& state, const JobKey& job);
std::string WorkFolderOn(const std::string& state, const JobKey& job);

/// The folders of the service's jobs on this machine.
Result<JobsAnswer> JobsOf(const std::filesystem::path& state, const std::string& service);

class SiteJob {
 public:
  static Result<SiteJob> Open(const SiteJobOptions& options, const JobKey& job);

  Folder FolderFor(Root root) const { return {folder_ / Name(root), folder_ / "incoming"}; }

  /// Starts the attempt unless it was started before.
  Result<StartAnswer> Begin(const Start& start) const;
  /// Has the attempt start later (kept_start.h), unless it was started before.
  Result<StartAnswer> KeepFor(const Keep& keep);
  /// Takes such a start back, unless the attempt has begun.
  Result<StartAnswer> TakeBack(const Withdraw& withdraw);
  /// The state of the attempt. Processes that a killed supervisor left are ended first: meanwhile
  /// the attempt counts as running.
  Result<LookAnswer> LookAt(const Look& look, std::string& bytes);
  /// Passes a request on to the supervisor, if it runs.
  Status Pass(const Tell& tell) const;
  Result<ListAnswer> ListFiles(Root root) const;
  /// Notes that the files of this attempt, and of those before, are at home.
  Status NoteFetched(int attempt) const;
  /// Removes the folder. An Error: something still runs there.
  Status Remove() const;

 private:
  SiteJob(SiteJobOptions options, std::filesystem::path folder)
      : options_(std::move(options)), folder_(std::move(folder)) {}
  local::AttemptPaths PathsOf(int attempt) const { return {folder_ / Name(Root::kRun), attempt}; }
  static Status MakeFolder(const local::AttemptPaths& paths);
  static Result<local::AttemptPlan> PlanFrom(const std::string& text,
                                             const local::AttemptPaths& paths);
  Status StartSupervisor(const std::string& text, const local::AttemptPaths& paths,
                         const platform::FileLock& lock) const;
  static Result<StartAnswer> BeginKept(const Start& start, const local::AttemptPaths& paths);
  Result<AttemptState> StateOf(int attempt, std::string& end);
  bool NothingIsLeft(const local::AttemptPaths& paths, Duration grace);

  SiteJobOptions options_;
  std::filesystem::path folder_;
  std::map<int, local::Ending> endings_;  // of attempts whose supervisor was killed
};

}  // namespace ebb::sites
