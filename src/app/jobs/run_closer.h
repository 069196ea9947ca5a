#pragma once
// Tells MLflow how jobs of the service ended that ended while none of their programs ran: cancelled
// while they were paused, given up after failed starts, ... Supervisors tell everything else
// (job_follower.h). Also what an earlier life of the service, or a supervisor, did not get rid of:
// a run stays in OpenRuns until MLflow has taken its outcome.
//
// A server that does not answer is asked again, one question at a time, less and less often.
//
// Thread contract: a thread of its own does all of it; OnEnded from any.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "app/jobs/open_runs.h"
#include "core/tracking.h"
#include "trackers/tracker.h"

namespace ebb::app {

class RunCloser {
 public:
  using Say = std::function<void(const std::string&)>;
  struct Pauses {
    Duration first{2000}, longest{60'000};  ///< between tries; doubled after each failure
  };
  /// `store`: of the service; `jobs`: the folder that holds those of its jobs.
  RunCloser(std::filesystem::path store, std::filesystem::path jobs, Say say, Pauses pauses);
  /// What is left stays in OpenRuns.
  ~RunCloser();

  /// The end of the job is stored. Does not wait for anything.
  void OnEnded(core::JobId job);
  /// Waits some seconds for what has ended to be told.
  void WaitForEnd();

 private:
  struct Run {
    core::JobId job = 0;
    core::Tracking tracking;
    trackers::Outcome outcome = trackers::Outcome::kKilled;
    Time wall{};
  };
  /// Runs of one target, whose failures hold nobody else up.
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
  std::map<std::string, Target> targets_;  // the thread's
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<core::JobId> ended_;  // and not looked at
  bool is_idle_ = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace ebb::app
