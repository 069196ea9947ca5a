#pragma once
// The requests that people and programs make of the queue service, and the answer to them. Values.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/jobs/job_change.h"
#include "core/jobs/recurring.h"
#include "core/jobs/submission.h"
#include "engine/event.h"
#include "sweep/successive_halving.h"

namespace ebb::service {

/// A sweep to come: it begins with the first of its experiments that is taken.
struct NewSweep {
  std::string name;
  std::string key;  ///< sweeps with the same key of a user are one sweep; empty: no key
  std::optional<sweep::HalvingOptions> halving;
  core::Budget budget{};  ///< for all experiments together
  core::SweepId id = 0;   ///< the loop fills this in; 0: it has not begun
};

/// Submits a job, or defines a recurring job.
struct Submit {
  Submit() = default;
  Submit(core::Submission job)
      : submission(std::move(job)) {}  // NOLINT: a submission alone is a request
  core::Submission submission;
  std::vector<std::string> after_keys;  ///< more predecessors, by the keys of their submissions
  /// Times from the moment at which the loop takes the request; they replace the job's start_by and
  /// finish_by.
  std::optional<Duration> start_within, finish_within;
  /// The time since which the job waits, if that is before its submission: an object of a cluster
  /// was created earlier.
  std::optional<Time> since;
  /// The owner gave the duration, or the power; otherwise the job has the default.
  bool duration_given = false, power_given = false;
  /// The program may appear later, so it is looked up only when the job starts.
  bool no_check = false;
  std::optional<Error> cannot_start;  ///< the service found that the program cannot start
  std::shared_ptr<NewSweep> sweep;    ///< the sweep of this experiment; nullptr: none
  std::optional<core::Recurrence>
      recurrence;  ///< set: a recurring job, whose instances come when they are due
};
/// Removes, pauses or resumes a recurring job. Its live instances go on.
struct ChangeRecurring {
  enum class To { kRemoved, kPaused, kResumed };
  std::string name;
  To to = To::kRemoved;
};
struct Cancel {
  core::JobId job = 0;
};
/// Holds a job, releases it, or has it run now.
struct ControlJob {
  core::JobId job = 0;
  engine::JobControl control = engine::JobControl::kNone;
  std::string why{};  ///< why the job is held, for people; empty: a person asked for it
};
/// Replaces the budget of a job that has not ended, from its next attempt on: a job that its budget
/// holds stays held until a person resumes it. Or replaces the budget of a sweep, at once:
/// experiments that its budget holds go on.
struct ChangeBudget {
  core::JobId job = 0;
  core::SweepId sweep = 0;  ///< 0: the budget of `job`
  core::Budget budget;
};
/// Changes options of a job that waits.
struct ChangeJob {
  core::JobId job = 0;
  core::JobChange change;
  /// Times from the moment at which the loop takes the request; they replace the change's start_by
  /// and finish_by.
  std::optional<Duration> start_within, finish_within;
  bool only_check = false;  ///< tells what the change would do, and changes nothing
};
/// Sets a GPU of this machine aside, puts it back, or forgets one that is gone.
struct ChangeDevice {
  enum class To { kSetAside, kPutBack, kForgotten };
  std::string name;  ///< UUID, the unique beginning of one, or a number
  To to = To::kSetAside;
  std::string why{};  ///< for people
};
/// Drains the whole queue: running jobs end or pause, and nothing starts until the drain is over.
struct ChangeDrain {
  bool end = false;  ///< ends the drain that is in force
  std::optional<Time> until{};
  std::optional<Duration> within{};  ///< from the moment the loop takes it; replaces `until`
  std::string why{};                 ///< for people
};
using Request = std::variant<Submit, Cancel, ControlJob, ChangeRecurring, ChangeBudget,
                             ChangeDevice, ChangeJob, ChangeDrain>;

/// The answer to a request that succeeded.
struct Answer {
  core::JobId job = 0;
  bool existing = false;               ///< the key was known, and this is its job
  std::optional<Time> next{};          ///< when a recurring job is due first; it has no number
  core::SweepId sweep = 0;             ///< the sweep of an experiment
  std::string device{};                ///< the name of the device that was changed
  std::optional<core::Job> changed{};  ///< the job after the change
  /// Not empty: the key belongs to a different submission, and this says what differs. Nothing was
  /// submitted.
  std::string conflict{};
};

}  // namespace ebb::service
