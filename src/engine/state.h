#pragma once
// What the engine knows: the cluster, the signals, the jobs that have not ended with the plan for
// each, and the jobs that have. Values only; it changes through Engine::Apply and Engine::Decide
// and nowhere else. Everything that readers (display, reports) need is here.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/intensity.h"
#include "core/job.h"
#include "engine/decision.h"
#include "engine/event.h"
#include "engine/lendable.h"
#include "plan/policy.h"

namespace ebb::engine {

/// One site's grid as last heard of.
struct SiteSignal {
  core::SignalView view;           ///< view.now follows the decisions; empty before the first value
  Time observed = Time::min();     ///< when the view was taken
  Time next_change = Time::max();  ///< when a new value is due
  std::string lost;                ///< why the source cannot be reached; empty: it can
};

/// A job that has not ended.
struct LiveJob {
  core::Job job;  ///< with a start_by: the default where the submission gave no deadline
  Stage stage = Stage::kWaiting;
  int attempt = 0;               ///< the last one started; 0: none
  bool attempt_over = true;      ///< it has reported its end; reports about it are old
  int pool = -1;                 ///< whose devices it holds: kStarting, kRunning, kPausing, frozen
  Duration remaining{};          ///< of job.duration at speed 1 when the attempt began; > 0
  Time since{};                  ///< when the stage began
  Time segment_begin{};          ///< kRunning, kPausing: when the attempt began to run
  int pauses = 0;                ///< checkpoints written and ended on
  int failed_starts = 0;         ///< and lost attempts, since the last checkpoint
  int unasked_pauses = 0;        ///< in a row
  Duration unasked_remaining{};  ///< what remained before the first of them
  Time retry_at = Time::min();   ///< not started before
  std::optional<Time> first_start;         ///< when it first ran
  JobControl control = JobControl::kNone;  ///< what a person asked for; it overrides the plan
  bool cancel_wanted = false;              ///< ends as cancelled once the attempt is gone
  std::string cancel_why;                  ///< and why, for people; empty: somebody wanted it
  bool command_due = false;                ///< the command of this stage has to be given (again)
  bool start_repeated = false;             ///< kStarting: the command was given again in this life
  Duration moved{};  ///< its submission and deadlines, which were given while the clock ran ahead
  Duration first_start_moved{};  ///< the same of first_start
  Explanation explanation;
};

/// What is kept of a job that has ended.
struct EndedJob {
  Stage stage = Stage::kSucceeded;
  int attempt = 0;
  int pauses = 0;
  /// Of the last attempt. None: no attempt came to its own end before the job was cancelled.
  std::optional<int> exit_code;
  Time submitted{};
  std::optional<Time> first_start;
  Time ended{};
  std::string detail;  ///< why it failed or was cancelled
  Explanation explanation;
};

/// A start within the last five minutes, for the ramp limit.
struct RecentStart {
  Time at{};
  Power power;
};

struct State {
  Time now = Time::min();  ///< of the last decision, or what the clock was set to since
  core::Cluster cluster;
  std::vector<SiteSignal> signals;      ///< as cluster.sites
  std::vector<Lendable<LiveJob>> live;  ///< ordered by id
  plan::Schedule schedule;              ///< schedule.jobs[i] speaks of live[i]
  /// Those that somebody holds and that hold no devices: no policy sees them.
  std::map<core::JobId, Lendable<LiveJob>> held;
  std::map<core::JobId, EndedJob> ended;
  std::vector<RecentStart> recent_starts;  ///< oldest first
  std::optional<Drain> drain;              ///< nothing starts; IsOver is for the next decision

  /// nullptr when no such job is live.
  const LiveJob* FindLive(core::JobId job) const;
  const LiveJob* FindHeld(core::JobId job) const;
  const EndedJob* FindEnded(core::JobId job) const;
  /// Index of the first live job whose id is not below `job`.
  std::size_t LowerBound(core::JobId job) const;
  /// Devices of each pool that no attempt holds; negative where the pool shrank under its jobs.
  std::vector<int> FreeDevices() const;
  bool idle() const { return live.empty() && held.empty(); }
};

/// Paused where it is, with its devices (core::Job::freeze).
bool IsFrozen(const LiveJob& live);
/// An attempt is under way: starting, running or pausing.
bool HoldsDevices(Stage stage);
/// That, or frozen: nothing else may be placed on its devices.
bool HoldsDevices(const LiveJob& live);
/// State::FreeDevices, where all that hold devices are known: indices into State::live.
std::vector<int> FreeDevices(const State& state, const std::vector<std::size_t>& holding);
/// Succeeded, failed or cancelled.
bool HasEnded(Stage stage);
/// The job as policies see it. A job that is being paused counts as paused, and so does a frozen
/// one while nobody waits for its devices; otherwise as running, as it is about to go on.
plan::JobView ViewOf(const LiveJob& live, const core::Cluster& cluster, Time now);
/// Work left at `now`, at speed 1, as far as it can be known: > 0 also for a job that runs longer
/// than estimated.
Duration RemainingAt(const LiveJob& live, const core::Cluster& cluster, Time now);
/// When the running attempt is expected to end; nothing once that has passed, or when none runs.
std::optional<Time> ExpectedEnd(const LiveJob& live, const core::Cluster& cluster, Time now);

}  // namespace ebb::engine
