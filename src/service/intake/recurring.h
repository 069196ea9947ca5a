#pragma once
// The recurring jobs, and the instances that come of them. The key of an instance consists of the
// job's name and its due time, so that it is submitted once even if the service is killed
// meanwhile.
//
// If due times passed while no service ran, one instance makes up for them, provided that its
// latest start is still ahead. An event tells how many were left out.
//
// Thread contract: the loop's thread.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/jobs/cron.h"
#include "core/jobs/recurring.h"
#include "service/views/view.h"

namespace ebb::service {

class Recurring {
 public:
  using Say = std::function<void(const std::string&)>;
  /// `offset`: the local clock's offset from UTC (core/jobs/cron.h). `say` tells an event.
  Recurring(core::CronSchedule::UtcOffset offset, Say say)
      : offset_(std::move(offset)), say_(std::move(say)) {}

  /// Reads what Text() returned in an earlier life.
  Status Load(const std::string& text);
  std::string Text() const;

  /// Adds the job, or replaces the one with its name. Returns its first due time. An Error: the
  /// schedule is not valid, or is never due.
  Result<Time> Put(core::RecurringJob job);
  /// False: there is no job with this name. Live instances go on.
  bool Remove(const std::string& name);
  /// Due times that pass during a pause are not made up for. False: there is no job with this name.
  bool SetPaused(const std::string& name, bool paused, Time now);
  std::vector<RecurringView> View() const;

  Time NextAt() const;
  struct Due {
    core::Submission submission;
    std::vector<core::JobId> replaces;  ///< live instances to cancel first
  };
  std::vector<Due> TakeDue(Time now);
  /// True once after each change that has to be stored.
  bool TakeChanged() { return std::exchange(changed_, false); }

  /// The clock was set back to `now`, so later due times have not come yet. An instance that came
  /// too early keeps its key, and is not submitted again.
  void FollowClock(Time now);

  /// A job was taken. It is live until Ended if it is an instance.
  void Began(const core::Submission& submission);
  void Ended(core::JobId job);

 private:
  struct Entry {
    core::RecurringJob job;
    core::CronSchedule schedule;
    Time next;  // Time::max(): never, or paused
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
