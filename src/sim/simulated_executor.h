#pragma once
// An executor in virtual time: WaitForEvents moves the clock. It simulates the world: true run
// times of programs, starts that fail, the time that a pause takes. It also records as violations
// the commands that no sound engine gives (more jobs than fit, a job started twice).
//
// Thread contract: one thread.

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "runtime/executor.h"

namespace ebb::sim {

/// Differences between the world and the jobs' own estimates; seeded, per job.
struct WorldOptions {
  std::uint64_t seed = 1;
  double duration_error = 0;    ///< standard deviation of ln(true / estimated run time)
  double start_failures = 0;    ///< share of attempts that cannot be started
  double program_failures = 0;  ///< share of jobs whose program fails half-way
  Duration checkpoint_takes{};  ///< from the pause command to the end of the attempt
};

/// A stretch of running, for charts and for integrating emissions.
struct SegmentRun {
  int attempt = 1;
  int pool = -1;
  std::vector<int> devices;  ///< indices within the pool, ascending
  Interval time;             ///< the end is set when it has ended
  Duration moving{};         ///< it begins with a move to the site (core/jobs/move.h)
};

/// The true course of a job.
struct JobRun {
  core::Job job;
  Duration true_work{};  ///< true work at speed 1, pauses not counted
  Duration remaining{};  ///< remaining true work when the last segment began
  std::vector<SegmentRun> segments;
  int attempt = 0;  ///< the last one that was tried
  int pauses = 0;
  int ends = 0;  ///< number of ends; 1 is right
  bool running = false;
  bool program_fails = false;
  engine::JobReport last;  ///< report that Observe returns
};

class SimulatedExecutor final : public runtime::Executor {
 public:
  SimulatedExecutor(core::Cluster cluster, Time begin, const WorldOptions& world);

  /// Adds a job that can be started from now on. Call it before the job's submission.
  void AddJob(const core::Job& job);

  std::string name() const override { return "simulated"; }
  Time Now() const override { return now_; }
  core::Cluster cluster() const override { return cluster_; }
  Result<std::vector<engine::JobReport>> Observe() override;
  Status Execute(const engine::Command& command) override;
  /// Returns an Error if nothing is under way and the deadline is Time::max(): nothing would ever
  /// happen.
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  void Forget(core::JobId job) override;

  /// The running attempt vanishes without a report, as with a machine that loses power.
  void Lose(core::JobId job);

  const std::map<core::JobId, JobRun>& runs() const { return runs_; }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  // A future event of an attempt.
  struct Due {
    Time at;
    std::uint64_t sequence;  // order of events at one time: the first arranged comes first
    core::JobId job;
    int attempt;
    engine::JobPhase phase;
    bool operator>(const Due& other) const {
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };

  Status Start(const engine::StartJob& command);
  Status Pause(const engine::PauseJob& command);
  Status Cancel(const engine::CancelJob& command);
  Result<JobRun*> Find(core::JobId job);
  tl::unexpected<Error> Violate(core::JobId job, std::string what);
  std::vector<int> TakeDevices(int pool, int count);
  void Arrange(Time at, const JobRun& run, engine::JobPhase phase);
  void EndSegment(JobRun& run);
  void Report(JobRun& run, engine::JobPhase phase);
  void Happen(const Due& due);
  Duration Overhead(const JobRun& run, const SegmentRun& segment) const;
  Duration Work(const JobRun& run) const;

  core::Cluster cluster_;
  Time now_;
  WorldOptions world_;
  std::map<core::JobId, JobRun> runs_;
  std::set<core::JobId> known_;      // started and not forgotten
  std::vector<std::set<int>> free_;  // device indices, in the order of pools
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<engine::JobReport> reports_;  // reports not yet handed out
  std::vector<std::string> violations_;
  std::uint64_t sequence_ = 0;
};

}  // namespace ebb::sim
