// Follows a job in Slurm: offers to the service, reports to the engine.

#include <algorithm>
#include <array>
#include <cstdio>

#include "platform/random_bytes.h"
#include "slurm/slurm_executor.h"

namespace ebb::slurm {
namespace {

using engine::JobControl;
using engine::JobPhase;
using engine::JobReport;

std::string NewTag() {
  std::array<unsigned char, 6> bytes{};
  std::ignore = platform::FillWithRandom(bytes);
  std::string tag;
  for (const unsigned char byte : bytes) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    tag += hex;
  }
  return tag;
}

}  // namespace

void SlurmExecutor::Report(Entry& entry, JobPhase phase, Time since, const std::string& detail) {
  JobReport report;
  report.job = entry.job();
  report.attempt = entry.attempt;
  report.phase = phase;
  report.pool = entry.pool;
  report.since = since;
  report.detail = detail;
  if (phase == JobPhase::kRunning) report.devices = SeenWidth(entry);
  if (phase == JobPhase::kFailed)
    report.exit_code = entry.seen.exit_code != 0 ? entry.seen.exit_code : 1;
  entry.last = report;
  reports_.push_back(std::move(report));
}

void SlurmExecutor::Follow(Entry& entry) {
  if (entry.step == Step::kEnded || entry.step == Step::kRefused) return;
  if (!entry.local) return Offer(entry);
  if (HasEnded(entry.seen.state)) return FollowEnd(entry);
  if (entry.seen.state == JobState::kRunning) return FollowRunning(entry);
  if (entry.seen.state == JobState::kPending) return FollowPending(entry);
}

// A job that waits for another job, or that an administrator holds or has reserved nodes for, is
// not offered. It may be later.
void SlurmExecutor::Offer(Entry& entry) {
  const SlurmJob& job = entry.seen;
  if (!has_begun_ || entry.is_offered || job.state != JobState::kPending || job.has_dependency ||
      job.has_reservation || job.is_held_by_administrator() || IsTooEarly(entry))
    return;
  entry.is_offered = true;
  if (entry.comment.tag.empty()) entry.comment.tag = NewTag();
  entry.key = std::string(kKeyPrefix) + cluster_name_ + '/' + entry.id() + '#' + entry.comment.tag;
  offered_[entry.key] = entries_.at(entry.id());
  queue_.submit(SubmissionOf(entry));
}

core::Submission SlurmExecutor::SubmissionOf(const Entry& entry) const {
  const SlurmJob& job = entry.seen;
  core::Submission submission = entry.wishes.submission;
  submission.key = entry.key;
  submission.command = {"slurm", entry.id()};
  submission.working_directory = "/";
  core::Job& wanted = submission.job;
  wanted.name = job.name.empty() ? entry.id() : job.name + ' ' + entry.id();
  wanted.devices = std::max(1, job.gpus > 0 ? job.gpus : job.cores);
  wanted.models = pools_.ModelsFor(job);
  if (!wanted.start_by && !wanted.finish_by)
    wanted.start_by = wanted.submitted + options_.default_max_delay;
  return submission;
}

// The owner's part of the comment has changed: the job is offered again, or its options change.
void SlurmExecutor::HearOwner(Entry& entry) {
  entry.refused.clear();
  if (entry.step == Step::kRefused) {
    entry.step = Step::kSeen;
    entry.is_offered = false;
    return;
  }
  if (entry.step != Step::kWaiting || entry.attempt > 0 || !entry.local) return;
  core::JobChange change = core::Difference(entry.local->job(), SubmissionOf(entry).job);
  if (change != core::JobChange{}) queue_.change(entry.job(), std::move(change));
}

// A job whose owner wants it no earlier is taken shortly before, so that Slurm does not start it
// first.
bool SlurmExecutor::IsTooEarly(const Entry& entry) const {
  constexpr std::chrono::minutes kTakenBefore{1};
  return entry.wishes.not_before && *entry.wishes.not_before - Now() > kTakenBefore;
}

void SlurmExecutor::FollowRunning(Entry& entry) {
  const Time since = entry.seen.start.value_or(Now());
  entry.is_held = false;
  if (entry.step == Step::kWaiting || entry.step == Step::kNew) {
    // The latest start has come, or a person has let the job go.
    ++entry.attempt;
    entry.pool = pools_.PoolOfRunning(entry.seen);
    entry.step = Step::kRunning;
    entry.begin.reset();
    entry.width = entry.local->job().devices;
    entry.width = SeenWidth(entry);
    return Report(entry, JobPhase::kRunning, since);
  }
  if (entry.step != Step::kStarting) return;
  entry.step = Step::kRunning;
  entry.begin.reset();
  entry.width = SeenWidth(entry);
  Report(entry, JobPhase::kRunning, since, entry.narrowed);
}

void SlurmExecutor::FollowPending(Entry& entry) {
  const bool was_under_way = entry.step == Step::kRunning || entry.step == Step::kPausing;
  if (was_under_way) {
    const bool was_asked = entry.step == Step::kPausing;
    entry.step = Step::kWaiting;
    entry.begin.reset();
    entry.width = 0;
    entry.asked_at.reset();
    entry.is_requeue_sent = false;
    const bool goes_on = was_asked || entry.local->job().checkpointable;
    Report(entry, goes_on ? JobPhase::kPaused : JobPhase::kStartFailed, Now(),
           goes_on ? "" : "Slurm has put it back into its queue");
    entry.last->machine_trouble = !goes_on;
    reports_.back().machine_trouble = !goes_on;
    // A requeue in held state that is not ours is a person's.
    if (!was_asked) FollowHold(entry);
    return;
  }
  // Slurm holds a job that no node can take.
  if (IsRefusedItsWidth(entry)) return GoOnAtOwnWidth(entry, entry.seen.reason);
  FollowHold(entry);
}

// A hold that Ebb has not made is a person's. A job is held when Ebb takes it over, and after its
// pause, until it has its latest start.
void SlurmExecutor::FollowHold(Entry& entry) {
  const bool is_released = entry.step == Step::kStarting
                               ? entry.is_let_go && entry.comment.course == Course::kGo
                               : entry.begin.has_value() && entry.comment.course == Course::kWait;
  const bool is_held = entry.seen.is_held() && is_released;
  const bool is_not_ours = entry.seen.is_held_by_administrator() && !is_released &&
                           entry.comment.course != Course::kPause && entry.attempt == 0;
  if ((is_held || is_not_ours) == entry.is_held) return;
  entry.is_held = !entry.is_held;
  if (entry.is_held && entry.step == Step::kStarting) {
    entry.step = Step::kWaiting;
    entry.width = 0;
    Report(entry, JobPhase::kPaused, Now());
  }
  queue_.control(entry.job(), entry.is_held ? JobControl::kHold : JobControl::kNone,
                 entry.is_held ? kHeldInSlurm : "");
}

void SlurmExecutor::FollowEnd(Entry& entry) {
  const SlurmJob& job = entry.seen;
  const bool has_run = job.start && job.end && *job.start <= *job.end;
  const bool was_waiting = entry.step == Step::kWaiting || entry.step == Step::kNew;
  if (was_waiting && job.state == JobState::kCancelled && !has_run) {
    entry.step = Step::kEnded;
    queue_.cancel(entry.job());
    return;
  }
  const bool was_seen_running = entry.step == Step::kRunning || entry.step == Step::kPausing;
  if (was_waiting) {
    ++entry.attempt;
    entry.pool = pools_.PoolOfRunning(job);
  }
  if (!was_seen_running && has_run) Report(entry, JobPhase::kRunning, *job.start);
  const Time end = job.end.value_or(Now());
  entry.step = Step::kEnded;
  if (job.state == JobState::kCompleted) return Report(entry, JobPhase::kSucceeded, end);
  if (job.state == JobState::kCancelled) return Report(entry, JobPhase::kCancelled, end);
  Report(entry, JobPhase::kFailed, end, "Slurm: " + job.state_text);
}

}  // namespace ebb::slurm
