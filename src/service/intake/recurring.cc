#include "service/intake/recurring.h"

#include <algorithm>

#include "base/field_text.h"
#include "core/fields.h"

namespace ebb::service {

using core::OverlapRule;

namespace {
constexpr Time kNever = Time::max();
}  // namespace

const std::string& Recurring::NameOf(const Entry& entry) { return entry.job.submission.job.name; }

bool Recurring::IsNever(const Entry& entry) { return !entry.job.paused && entry.next == kNever; }

std::string Recurring::NeverText(const Entry& entry) {
  return "its schedule \"" + entry.job.recurrence.cron + "\" is not due within 40 years";
}

Status Recurring::Load(const std::string& text) {
  EBB_ASSIGN_OR_RETURN(auto jobs,
                       FromFieldText<std::vector<core::RecurringJob>>(text, "recurring jobs"));
  for (core::RecurringJob& job : jobs) {
    EBB_ASSIGN_OR_RETURN(Entry entry, EntryOf(std::move(job)));
    if (IsNever(entry)) say_(NameOf(entry) + ": " + NeverText(entry));
    entries_.insert_or_assign(NameOf(entry), std::move(entry));
  }
  changed_ = false;
  return {};
}

std::string Recurring::Text() const {
  std::vector<core::RecurringJob> jobs;
  for (const auto& [name, entry] : entries_) jobs.push_back(entry.job);
  return ToFieldText(jobs);
}

Time Recurring::NextOf(const core::CronSchedule& schedule, Time after) const {
  return schedule.NextAfter(after, offset_).value_or(kNever);
}

Result<Recurring::Entry> Recurring::EntryOf(core::RecurringJob job) const {
  EBB_ASSIGN_OR_RETURN(core::CronSchedule schedule, core::CronSchedule::Parse(job.recurrence.cron));
  const Time next = job.paused ? kNever : NextOf(schedule, job.last);
  return Entry{std::move(job), schedule, next};
}

Result<Time> Recurring::Put(core::RecurringJob job) {
  EBB_ASSIGN_OR_RETURN(Entry entry, EntryOf(std::move(job)));
  if (IsNever(entry)) return Fail({ExitCode::kUsage, NeverText(entry), NameOf(entry), ""});
  const Time next = entry.next;
  entries_.insert_or_assign(NameOf(entry), std::move(entry));
  changed_ = true;
  return next;
}

bool Recurring::Remove(const std::string& name) {
  const bool found = entries_.erase(name) > 0;
  changed_ = changed_ || found;
  return found;
}

bool Recurring::SetPaused(const std::string& name, bool paused, Time now) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (entry.job.paused == paused) return true;
  entry.job.paused = paused;
  if (!paused) entry.job.last = now;
  entry.next = paused ? kNever : NextOf(entry.schedule, now);
  changed_ = true;
  return true;
}

std::vector<RecurringView> Recurring::View() const {
  std::vector<RecurringView> views;
  for (const auto& [name, entry] : entries_)
    views.push_back({name, entry.job.recurrence, entry.next, entry.job.paused});
  return views;
}

Time Recurring::NextAt() const {
  Time next = kNever;
  for (const auto& [name, entry] : entries_) next = std::min(next, entry.next);
  return next;
}

std::vector<Recurring::Due> Recurring::TakeDue(Time now) {
  std::vector<Due> all;
  for (auto& [name, entry] : entries_) {
    if (entry.next > now) continue;
    Due due;
    if (Follow(name, entry, now, due)) all.push_back(std::move(due));
    changed_ = true;
  }
  return all;
}

// Moves an entry that is due on to its next due time. True: `due` is an instance to submit.
bool Recurring::Follow(const std::string& name, Entry& entry, Time now, Due& due) {
  int missed = 0;
  Time at = entry.next;
  for (Time next = NextOf(entry.schedule, at); next <= now; next = NextOf(entry.schedule, at)) {
    at = next;
    ++missed;
  }
  const core::Recurrence& recurrence = entry.job.recurrence;
  entry.job.last = at;
  entry.next = NextOf(entry.schedule, at);
  const Time latest = at + recurrence.flexibility;
  const bool too_late = latest <= now;
  if (too_late) ++missed;
  if (missed > 0)
    say_(name + ": missed " + std::to_string(missed) + (missed == 1 ? " time" : " times") +
         " at which it was due; left out");
  if (too_late) return false;
  for (const auto& [job, of] : live_)
    if (of == name) due.replaces.push_back(job);
  if (!due.replaces.empty() && recurrence.overlap == OverlapRule::kForbid) {
    say_(name + ": due at " + FormatTime(at) + " and left out, since job " +
         std::to_string(due.replaces.front()) + " has not ended");
    return false;
  }
  if (recurrence.overlap == OverlapRule::kAllow) due.replaces.clear();
  due.submission = entry.job.submission;
  due.submission.recurring = name;
  due.submission.key = "recurring/" + name + "/" + FormatTime(at);
  due.submission.job.start_by = latest;
  return true;
}

void Recurring::FollowClock(Time now) {
  for (auto& [name, entry] : entries_) {
    if (entry.job.last <= now) continue;
    entry.job.last = now;
    if (!entry.job.paused) entry.next = NextOf(entry.schedule, now);
    changed_ = true;
  }
}

void Recurring::Began(const core::Submission& submission) {
  if (!submission.recurring.empty()) live_[submission.job.id] = submission.recurring;
}

void Recurring::Ended(core::JobId job) { live_.erase(job); }

}  // namespace ebb::service
