#pragma once
// Events: the facts that the engine is told. Time is data: every event says when it happened. Facts
// come in only through Engine::Apply, so a stored list of events replays to the same state.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/jobs/job_change.h"
#include "core/signal/intensity.h"
#include "engine/drain.h"

namespace ebb::engine {

struct ClusterChanged {
  core::Cluster cluster;  ///< the indices of sites and pools stay; a lost pool has count 0
  friend bool operator==(const ClusterChanged&, const ClusterChanged&) = default;
};

struct JobSubmitted {
  core::Job job;
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

struct JobCancelled {
  core::JobId job = 0;
  std::string why{};  ///< reason for people; empty: a person wanted it
  friend bool operator==(const JobCancelled&, const JobCancelled&) = default;
};

/// A person's control of a job, which overrides the plan.
enum class JobControl {
  kNone,  ///< the job follows the plan
  kHold,  ///< the job waits, paused if it runs, until the control changes; it takes no place in the
          ///< plan meanwhile
  kNow,   ///< the job runs as soon as devices are free, before all others
};

std::string_view Name(JobControl control);
std::optional<JobControl> JobControlFromName(std::string_view name);

struct JobControlled {
  core::JobId job = 0;
  JobControl control = JobControl::kNone;
  friend bool operator==(const JobControlled&, const JobControlled&) = default;
};

/// Everything known of one site's grid from now on. Replaces earlier knowledge.
struct SignalObserved {
  int site = 0;
  core::SignalView view;
  Time next_change{};
  friend bool operator==(const SignalObserved&, const SignalObserved&) = default;
};

/// The site's source cannot be reached. The engine keeps what it knew, with its age.
struct SignalLost {
  int site = 0;
  std::string why;
  Time retry_at{};
  friend bool operator==(const SignalLost&, const SignalLost&) = default;
};

enum class JobPhase {
  kRunning,  ///< the attempt was started
  kPaused,   ///< the attempt wrote a checkpoint and ended; the job can go on from it
  kSucceeded,
  kFailed,
  kStartFailed,  ///< the attempt could not be started at all
  kCancelled,
  kFrozen,    ///< the attempt is stopped where it is, with its devices, and goes on when started
              ///< again
  kStarting,  ///< the executor knows of the start and has not begun it: another site has to let go
              ///< of the attempt first. Only an answer to a look, never an event
};

std::string_view Name(JobPhase phase);
std::optional<JobPhase> JobPhaseFromName(std::string_view name);

/// An executor's report about one attempt of a job. A report may come late, twice, or not at all.
struct JobReport {
  core::JobId job = 0;
  int attempt = 1;
  JobPhase phase = JobPhase::kRunning;
  int pool = -1;
  Time since{};  ///< when the phase began
  int exit_code = 0;
  /// For people: why it failed; kRunning: why the attempt did not get the width that it asked for.
  std::string detail;
  /// kStartFailed: the machine cannot start anything at all, for example because its disk is full.
  /// This does not count against the job; the engine retries as long as the trouble lasts.
  bool machine_trouble = false;
  /// kPaused: what the job brings along if it goes on at another site; 0: unknown.
  std::int64_t checkpoint_bytes = 0;
  /// kRunning of an elastic job: the devices on which it runs, if somebody else than the executor
  /// decides that; 0: those of its start. A running attempt is reported once more if that changes.
  int devices = 0;
  friend bool operator==(const JobReport&, const JobReport&) = default;
};

/// Everything that an executor knows at one moment. The executor does not know any job that is
/// missing here.
struct ExecutorObserved {
  std::vector<JobReport> reports;
  bool first_look = false;  ///< first look of the executor's life: it has not carried out any
                            ///< command yet
  friend bool operator==(const ExecutorObserved&, const ExecutorObserved&) = default;
};

/// Time passed, and nothing else happened.
struct Tick {
  friend bool operator==(const Tick&, const Tick&) = default;
};

/// Jobs that ended before this moment are forgotten. No one asks the engine about them, because
/// they are known elsewhere.
struct EndedForgotten {
  Time before{};
  friend bool operator==(const EndedForgotten&, const EndedForgotten&) = default;
};

/// The clock that gives all times showed `from` when it was set to `to`. The engine's time goes on
/// from there, forward or back. Elapsed times stay as they are. Times that were noted while the
/// clock ran ahead, and that now lie in the future, move with the clock.
struct ClockSet {
  Time from{}, to{};
  bool operator==(const ClockSet&) const = default;
};

/// A person changed a job that holds no devices.
struct JobChanged {
  core::JobId job = 0;
  core::JobChange change;
  friend bool operator==(const JobChanged&, const JobChanged&) = default;
};

/// Sets a drain; nullopt ends it.
struct DrainSet {
  std::optional<Drain> drain;
  friend bool operator==(const DrainSet&, const DrainSet&) = default;
};

/// The speeds of an elastic job that plans use from now on (core::Job::learned_speedup), at the
/// widths of its speedup. The job may run meanwhile.
struct SpeedupLearned {
  core::JobId job = 0;
  std::vector<core::WidthSpeed> speedup;
  friend bool operator==(const SpeedupLearned&, const SpeedupLearned&) = default;
};

using Fact = std::variant<ClusterChanged, JobSubmitted, JobCancelled, JobControlled, SignalObserved,
                          SignalLost, JobReport, ExecutorObserved, Tick, EndedForgotten, ClockSet,
                          JobChanged, DrainSet, SpeedupLearned>;

struct Event {
  Time at{};
  Fact fact;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace ebb::engine
