#pragma once
// The state of the engine: the cluster, the signals, the live jobs with a plan for each, and the
// jobs that have ended. It holds only values and changes only through Engine::Apply and
// Engine::Decide. Readers (display, reports) find everything they need here.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"
#include "engine/decision.h"
#include "engine/event.h"
#include "engine/lendable.h"
#include "plan/policy.h"

namespace ebb::engine {

/// The latest knowledge of one site's grid.
struct SiteSignal {
  core::SignalView view;           ///< view.now follows the decisions; empty before the first value
  Time observed = Time::min();     ///< when the view was taken
  Time next_change = Time::max();  ///< when a new value is due
  std::string lost;                ///< why the source cannot be reached; empty: it can be reached
};

/// A job that has not ended.
struct LiveJob {
  core::Job job;  ///< contains the default start_by if the submission gave no deadline
  Stage stage = Stage::kWaiting;
  int attempt = 0;               ///< the last attempt that was started; 0: none
  bool attempt_over = true;      ///< the attempt has reported its end; further reports about it are
                                 ///< old
  int pool = -1;                 ///< pool whose devices the job holds: kStarting, kRunning,
                                 ///< kPausing, frozen
  Duration remaining{};          ///< remaining part of job.duration at speed 1 when the attempt
                                 ///< began; > 0
  Time since{};                  ///< when the stage began
  Time segment_begin{};          ///< kRunning, kPausing: when the attempt began to run
  int pauses = 0;                ///< checkpoints after which an attempt ended
  int failed_starts = 0;         ///< failed starts and lost attempts since the last checkpoint
  int unasked_pauses = 0;        ///< pauses in a row that nobody asked for
  Duration unasked_remaining{};  ///< remaining work before the first of those pauses
  Time retry_at = Time::min();   ///< no start before this time
  std::optional<Time> first_start;         ///< when it first ran
  JobControl control = JobControl::kNone;  ///< what a person asked for; it overrides the plan
  bool cancel_wanted = false;              ///< the job ends as cancelled once the attempt is gone
  std::string cancel_why;                  ///< reason of the cancellation, for people; empty: a
                                           ///< person wanted it
  bool command_due = false;                ///< the command of this stage must be given (again)
  bool start_repeated = false;             ///< kStarting: the engine repeated the command in this
                                           ///< life
  Duration moved{};  ///< shift of submission and deadlines, which were given while the clock ran
                     ///< ahead
  Duration first_start_moved{};  ///< shift of first_start for the same reason
  std::optional<int> last_site;  ///< site where it ran last, with its checkpoint; absent: none yet
  Duration moving{};  ///< time that the move of the attempt under way takes from segment_begin on
  int devices = 0;    ///< with `pool`: devices that an elastic job holds; 0: the job's own
  Explanation explanation;

  int width() const { return devices > 0 ? devices : job.devices; }
};

/// The part of an ended job that the engine keeps.
struct EndedJob {
  Stage stage = Stage::kSucceeded;
  int attempt = 0;
  int pauses = 0;
  /// Exit code of the last attempt. nullopt: no attempt came to its own end before the job was
  /// cancelled.
  std::optional<int> exit_code;
  Time submitted{};
  std::optional<Time> first_start;
  Time ended{};
  std::string detail;  ///< reason of a failure or a cancellation
  Explanation explanation;
};

/// A start within the last five minutes, which counts for the ramp limit.
struct RecentStart {
  Time at{};
  Power power;
};

/// Widths that an elastic job was refused. It does not ask for them for a while.
struct RefusedWidths {
  core::JobId job = 0;
  std::vector<core::WidthSpeed> given;    ///< as in Job::speedup; empty: it has all widths again
  std::vector<core::WidthSpeed> learned;  ///< as in Job::learned_speedup
  Time until{};                           ///< the job gets them back then
  int times = 0;                          ///< refusals so far
  friend bool operator==(const RefusedWidths&, const RefusedWidths&) = default;
};

struct State {
  Time now = Time::min();  ///< time of the last decision, or the time to which the clock was set
                           ///< since
  core::Cluster cluster;
  std::vector<SiteSignal> signals;      ///< in the order of cluster.sites
  std::vector<Lendable<LiveJob>> live;  ///< ordered by id
  plan::Schedule schedule;              ///< schedule.jobs[i] is the plan of live[i]
  /// Jobs that a person holds and that hold no devices. Policies do not see them.
  std::map<core::JobId, Lendable<LiveJob>> held;
  std::map<core::JobId, EndedJob> ended;
  std::vector<RecentStart> recent_starts;     ///< oldest first
  std::vector<RefusedWidths> refused_widths;  ///< of live and held jobs that were refused any
  std::optional<Drain> drain;  ///< while set, nothing starts; the next decision checks
                               ///< IsOver

  /// The live job; nullptr if no live job has this id.
  const LiveJob* FindLive(core::JobId job) const;
  const LiveJob* FindHeld(core::JobId job) const;
  const EndedJob* FindEnded(core::JobId job) const;
  /// Index of the first live job whose id is not below `job`.
  std::size_t LowerBound(core::JobId job) const;
  /// Devices of each pool that no attempt holds; negative if the pool shrank under its jobs.
  std::vector<int> FreeDevices() const;
  bool idle() const { return live.empty() && held.empty(); }
};

/// True if the job is stopped where it is and keeps its devices (core::Job::freeze).
bool IsFrozen(const LiveJob& live);
/// True if an attempt is under way: starting, running or pausing.
bool HoldsDevices(Stage stage);
/// True if an attempt is under way or frozen: no other job may use its devices.
bool HoldsDevices(const LiveJob& live);
/// Like State::FreeDevices, if all jobs that hold devices are known. `holding` has indices into
/// State::live.
std::vector<int> FreeDevices(const State& state, const std::vector<std::size_t>& holding);
/// True if the job has succeeded, failed or been cancelled.
bool HasEnded(Stage stage);
/// The job as policies see it. A job that is being paused counts as paused. A frozen job counts as
/// paused while no other job waits for its devices, and otherwise as running, because it is about
/// to go on.
plan::JobView ViewOf(const LiveJob& live, const core::Cluster& cluster, Time now);
/// The time from which the attempt under way makes progress: after its move and its resume.
Time ProgressFrom(const LiveJob& live);
/// Known remaining work at `now`, at speed 1. It is > 0 even for a job that runs longer than
/// estimated.
Duration RemainingAt(const LiveJob& live, const core::Cluster& cluster, Time now);
/// The number of devices on which the plan runs the job.
int WantedWidth(const LiveJob& live, const plan::JobPlan& plan);
/// The time for which a start on the pool with this width holds its devices: move and remaining
/// work.
Duration HeldOn(const LiveJob& live, const core::Cluster& cluster, int pool, int devices);
/// The expected end of the running attempt; nullopt if that time has passed or no attempt runs.
std::optional<Time> ExpectedEnd(const LiveJob& live, const core::Cluster& cluster, Time now);

}  // namespace ebb::engine
