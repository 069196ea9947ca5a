#pragma once
// The requests that people and programs make of the queue service, and the answer to them. Values.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/job_change.h"
#include "core/recurring.h"
#include "core/submission.h"
#include "engine/event.h"
#include "sweep/successive_halving.h"

namespace ebb::service {

/// A sweep that begins with the first of its experiments that comes.
struct NewSweep {
  std::string name;
  std::string key;  ///< a second one with it is the first one; empty: none
  std::optional<sweep::HalvingOptions> halving;
  core::Budget budget{};  ///< of all experiments together
  core::SweepId id = 0;   ///< given and read by the loop
};

/// A job for the queue.
struct Submit {
  Submit() = default;
  Submit(core::Submission job) : submission(std::move(job)) {}  // NOLINT: a request by itself
  core::Submission submission;
  std::vector<std::string> after_keys;  ///< of earlier submissions that it comes after, too
  /// Counted from when the loop takes it, in place of the job's start_by and finish_by.
  std::optional<Duration> start_within, finish_within;
  /// Since when it waits, where it was there before it was submitted: an object of a cluster.
  std::optional<Time> since;
  /// Its owner says how long it runs, and what it draws; otherwise they are defaults.
  bool duration_given = false, power_given = false;
  /// Its program may appear later: it is looked up when the job starts, and not before.
  bool no_check = false;
  std::optional<Error> cannot_start;           ///< found by the service when it was asked
  std::shared_ptr<NewSweep> sweep;             ///< that it is an experiment of
  std::optional<core::Recurrence> recurrence;  ///< instances come when it says, and none now
};
/// Of a recurring job; instances that live go on.
struct ChangeRecurring {
  enum class To { kRemoved, kPaused, kResumed };
  std::string name;
  To to = To::kRemoved;
};
struct Cancel {
  core::JobId job = 0;
};
/// Hold, let go, run now.
struct ControlJob {
  core::JobId job = 0;
  engine::JobControl control = engine::JobControl::kNone;
  std::string why{};  ///< it is held, for people; empty: a person wants it
};
/// Of a job that has not ended: it holds from its next attempt on, and a person lets the job go. Or
/// of all experiments of a sweep together: it holds at once, and what is held for it goes on.
struct ChangeBudget {
  core::JobId job = 0;
  core::SweepId sweep = 0;  ///< 0: of the job
  core::Budget budget;
};
/// Of a job that waits.
struct ChangeJob {
  core::JobId job = 0;
  core::JobChange change;
  /// Counted from when the loop takes it, in place of the change's start_by and finish_by.
  std::optional<Duration> start_within, finish_within;
  bool only_check = false;  ///< it stays as it is
};
/// Of a GPU of the service.
struct ChangeDevice {
  enum class To { kSetAside, kPutBack, kForgotten };
  std::string name;  ///< UUID, or its unique beginning, or number
  To to = To::kSetAside;
  std::string why{};  ///< for people
};
/// Of the whole queue: what runs ends, and nothing starts until it is over.
struct ChangeDrain {
  bool end = false;  ///< of the one that is
  std::optional<Time> until{};
  std::optional<Duration> within{};  ///< counted from when the loop takes it, in place of `until`
  std::string why{};                 ///< for people
};
using Request = std::variant<Submit, Cancel, ControlJob, ChangeRecurring, ChangeBudget,
                             ChangeDevice, ChangeJob, ChangeDrain>;

struct Answer {
  core::JobId job = 0;
  bool existing = false;       ///< a submission whose key was known: this is its job
  std::optional<Time> next{};  ///< of a recurring job: when it is due first; it has no number
  core::SweepId sweep = 0;     ///< of an experiment
  std::string device{};        ///< that was changed
  std::optional<core::Job> changed{};  ///< as it is once it is changed
  /// The key was known for something else: which, and what differs. Nothing new was taken.
  std::string conflict{};
};

}  // namespace ebb::service
