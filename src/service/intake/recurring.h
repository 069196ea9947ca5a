#pragma once
// The recurring jobs: which are due, and what their instances look like. An instance has a key made
// of its name and the time at which it was due, so whoever is killed in between, it comes once.
//
// What was due while no service ran is made up for by one instance, if its latest start is still
// ahead; the rest is left out, and said to be.
//
// Thread contract: the loop's thread.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/cron.h"
#include "core/recurring.h"
#include "service/views/view.h"

namespace ebb::service {

class Recurring {
 public:
  using Say = std::function<void(const std::string&)>;
  /// `offset`: the local clock's, see core/cron.h.
  Recurring(core::CronSchedule::UtcOffset offset, Say say)
      : offset_(std::move(offset)), say_(std::move(say)) {}

  /// As Text() gave it in an earlier life.
  Status Load(const std::string& text);
  std::string Text() const;

  /// Adds the job, or replaces the one with its name; an Error when its schedule makes no sense or
  /// never comes. Returns when it is due first.
  Result<Time> Put(core::RecurringJob job);
  /// False: there is none with this name. Instances that wait or run go on.
  bool Remove(const std::string& name);
  /// What would have been due while it was paused is not made up for. False: there is none.
  bool SetPaused(const std::string& name, bool paused, Time now);
  std::vector<RecurringView> View() const;

  Time NextAt() const;
  struct Due {
    core::Submission submission;
    std::vector<core::JobId> replaces;  ///< to be cancelled
  };
  std::vector<Due> TakeDue(Time now);
  /// True once after each change that an earlier life must not forget.
  bool TakeChanged() { return std::exchange(changed_, false); }

  /// The clock was set to `now`: what it showed beyond that has not come about. An instance that
  /// came of it keeps its key, and does not come twice.
  void FollowClock(Time now);

  /// An instance lives.
  void Began(const core::Submission& submission);
  void Ended(core::JobId job);

 private:
  struct Entry {
    core::RecurringJob job;
    core::CronSchedule schedule;
    Time next;  // Time::max(): never, or not while it is paused
  };
  static const std::string& NameOf(const Entry& entry);
  static bool IsNever(const Entry& entry);
  static std::string NeverText(const Entry& entry);
  Time NextOf(const core::CronSchedule& schedule, Time after) const;
  Result<Entry> EntryOf(core::RecurringJob job) const;
  bool Follow(const std::string& name, Entry& entry, Time now, Due& due);

  core::CronSchedule::UtcOffset offset_;
  Say say_;
  std::map<std::string, Entry> entries_;
  std::map<core::JobId, std::string> live_;
  bool changed_ = false;
};

}  // namespace ebb::service
