#pragma once
// What the engine is told. Time is data: every event says when it happened. Facts come in through
// Engine::Apply and nowhere else, so a stored list of events replays to the same state.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/cluster.h"
#include "core/intensity.h"
#include "core/job.h"
#include "core/job_change.h"
#include "engine/drain.h"

namespace ebb::engine {

struct ClusterChanged {
  core::Cluster cluster;  ///< site and pool indices stay; a lost pool has count 0
  friend bool operator==(const ClusterChanged&, const ClusterChanged&) = default;
};

struct JobSubmitted {
  core::Job job;
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

struct JobCancelled {
  core::JobId job = 0;
  std::string why{};  ///< for people; empty: somebody wanted it
  friend bool operator==(const JobCancelled&, const JobCancelled&) = default;
};

/// What somebody wants of a job, over what the plan says.
enum class JobControl {
  kNone,  ///< what the plan says
  kHold,  ///< wait, paused if it runs, until the control changes; takes no place in the plan
          ///< meanwhile
  kNow,   ///< run as soon as devices are free, before all others
};

std::string_view Name(JobControl control);
std::optional<JobControl> JobControlFromName(std::string_view name);

struct JobControlled {
  core::JobId job = 0;
  JobControl control = JobControl::kNone;
  friend bool operator==(const JobControlled&, const JobControlled&) = default;
};

/// What is known of one site's grid from now on. Replaces what was known before.
struct SignalObserved {
  int site = 0;
  core::SignalView view;
  Time next_change{};
  friend bool operator==(const SignalObserved&, const SignalObserved&) = default;
};

/// The site's source cannot be reached; what was known stays known, with its age.
struct SignalLost {
  int site = 0;
  std::string why;
  Time retry_at{};
  friend bool operator==(const SignalLost&, const SignalLost&) = default;
};

enum class JobPhase {
  kRunning,      ///< the attempt was started
  kPaused,       ///< the attempt wrote a checkpoint and ended; the job can go on from it
  kSucceeded,    ///< the job is done
  kFailed,       ///< the program failed
  kStartFailed,  ///< the attempt could not be started at all
  kCancelled,
  kFrozen,  ///< the attempt is stopped where it is, with its devices, and goes on when started
            ///< again
};

std::string_view Name(JobPhase phase);
std::optional<JobPhase> JobPhaseFromName(std::string_view name);

/// What an executor saw of one attempt of a job. May come late, twice, or not at all.
struct JobReport {
  core::JobId job = 0;
  int attempt = 1;
  JobPhase phase = JobPhase::kRunning;
  int pool = -1;
  Time since{};  ///< when the phase began
  int exit_code = 0;
  std::string detail;  ///< for people: why it failed
  /// kStartFailed: the machine could start nothing at all (its disk is full): it does not count
  /// against the job, which is tried again for as long as that lasts.
  bool machine_trouble = false;
  friend bool operator==(const JobReport&, const JobReport&) = default;
};

/// Everything an executor knows at one moment: what is not in it, it does not know.
struct ExecutorObserved {
  std::vector<JobReport> reports;
  bool first_look = false;  ///< of a life: no command of it was carried out yet
  friend bool operator==(const ExecutorObserved&, const ExecutorObserved&) = default;
};

/// Time passed; nothing else happened.
struct Tick {
  friend bool operator==(const Tick&, const Tick&) = default;
};

/// Jobs that ended before this moment are not asked about any more: they are known elsewhere.
struct EndedForgotten {
  Time before{};
  friend bool operator==(const EndedForgotten&, const EndedForgotten&) = default;
};

/// The clock that all moments are on showed `from` when it was set to `to`: the engine's time goes
/// on from there, forward or back. How long something has taken stays as it is; what was noted
/// while the clock ran ahead, and lies in the future now, is moved with it.
struct ClockSet {
  Time from{}, to{};
  bool operator==(const ClockSet&) const = default;
};

/// Of a job that holds no devices.
struct JobChanged {
  core::JobId job = 0;
  core::JobChange change;
  friend bool operator==(const JobChanged&, const JobChanged&) = default;
};

/// Nothing: a drain is over.
struct DrainSet {
  std::optional<Drain> drain;
  friend bool operator==(const DrainSet&, const DrainSet&) = default;
};

using Fact = std::variant<ClusterChanged, JobSubmitted, JobCancelled, JobControlled, SignalObserved,
                          SignalLost, JobReport, ExecutorObserved, Tick, EndedForgotten, ClockSet,
                          JobChanged, DrainSet>;

struct Event {
  Time at{};
  Fact fact;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace ebb::engine
