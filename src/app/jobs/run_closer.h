#pragma once
// Tells MLflow the outcome of jobs that ended while none of their programs ran: cancelled while
// paused, given up after failed starts, and so on. Supervisors report everything else
// (job_follower.h). It also reports what an earlier service or a supervisor could not deliver: a
// run stays in OpenRuns until MLflow has accepted its outcome.
//
// If a server does not answer, one request at a time is repeated, less and less often.
//
// Thread contract: a thread of its own does all the work; OnEnded from any thread.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "app/jobs/open_runs.h"
#include "core/jobs/tracking.h"
#include "trackers/tracker.h"

namespace ebb::app {

class RunCloser {
 public:
  using Say = std::function<void(const std::string&)>;
  struct Pauses {
    Duration first{2000}, longest{60'000};  ///< pause between tries, doubled after each failure
  };
  /// `store`: path of the service's store; `jobs`: the folder that holds the folders of its jobs.
  RunCloser(std::filesystem::path store, std::filesystem::path jobs, Say say, Pauses pauses);
  /// Undelivered outcomes stay in OpenRuns.
  ~RunCloser();

  /// Tells the closer that the end of the job is stored. Does not wait.
  void OnEnded(core::JobId job);
  /// Waits some seconds until the outcomes of ended jobs are delivered.
  void WaitForEnd();

 private:
  struct Run {
    core::JobId job = 0;
    core::Tracking tracking;
    trackers::Outcome outcome = trackers::Outcome::kKilled;
    Time wall{};
  };
  /// The runs of one MLflow server, whose failures do not delay other servers.
  struct Target {
    std::deque<Run> runs;
    std::chrono::steady_clock::time_point due{};
    Duration pause{};
    bool said = false;
  };

  void Work();
  bool WaitForWork();
  Result<std::optional<Run>> Look(core::JobId job) const;
  void TakeUp(core::JobId job);
  void CloseRunsOf(Target& target);
  Status Close(const Run& run) const;

  const std::filesystem::path store_, jobs_;
  const OpenRuns open_;
  const Say say_;
  const Pauses pauses_;
  std::map<std::string, Target> targets_;  // used only by the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<core::JobId> ended_;  // ended jobs that were not looked at yet
  bool is_idle_ = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace ebb::app
