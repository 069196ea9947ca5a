#include "app/jobs/run_closer.h"

#include <algorithm>

#include "app/run/run_trackers.h"
#include "engine/state.h"
#include "local/files/attempt_files.h"
#include "platform/system_clock.h"
#include "store/jobs/job_records.h"

namespace ebb::app {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatienceAtEnd{10};

}  // namespace

RunCloser::RunCloser(std::filesystem::path store, std::filesystem::path jobs, Say say,
                     Pauses pauses)
    : store_(std::move(store)),
      jobs_(std::move(jobs)),
      open_(jobs_),
      say_(std::move(say)),
      pauses_(pauses),
      thread_([this] { Work(); }) {}

RunCloser::~RunCloser() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RunCloser::OnEnded(core::JobId job) {
  {
    const std::lock_guard guard(mutex_);
    ended_.push_back(job);
  }
  changed_.notify_all();
}

void RunCloser::WaitForEnd() {
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, kPatienceAtEnd, [this] { return is_idle_ && ended_.empty(); });
}

// The run of a job that MLflow must be told to close; nullopt if the job goes on, or if MLflow has
// no open run of it.
Result<std::optional<RunCloser::Run>> RunCloser::Look(core::JobId job) const {
  const auto open = open_.Find(job);
  if (!open) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(store::Database database,
                       store::Database::Open(store_, store::Database::Mode::kReadUnchecked));
  EBB_ASSIGN_OR_RETURN(const auto record, store::FindJob(database, job));
  if (record && !engine::HasEnded(record->stage)) return std::nullopt;
  const local::AttemptPaths paths{jobs_ / std::to_string(job), open->attempt};
  const auto plan = local::ReadPlan(paths.plan());
  if (!record || !plan) {  // a forgotten job, of which nothing is known any more
    open_.Remove(job);
    return std::nullopt;
  }
  return Run{job, plan->tracking, EndOf(record->stage, open->outcome), platform::WallNow()};
}

void RunCloser::TakeUp(core::JobId job) {
  auto run = Look(job);
  if (!run) {
    say_("MLflow is not told how job " + std::to_string(job) + " ended: " + run.error().Message() +
         " (the next start of the service tries it again)");
  } else if (*run) {
    targets_[(*run)->tracking.mlflow].runs.push_back(**std::move(run));
  }
}

Status RunCloser::Close(const Run& run) const {
  EBB_RETURN_IF_ERROR(CheckTrackers(run.tracking));
  EBB_ASSIGN_OR_RETURN(const auto make,
                       MlflowOf(run.tracking, MlflowNoteIn(jobs_ / std::to_string(run.job))));
  return make(stopping_)->EndEarlier(run.outcome, run.wall);
}

// Closes the runs of a target. A run that fails goes to the end of its queue, because its own token
// may be the reason.
void RunCloser::CloseRunsOf(Target& target) {
  while (!target.runs.empty() && !stopping_) {
    const Status closed = Close(target.runs.front());
    if (stopping_ && !closed) return;
    if (!closed) {
      if (!std::exchange(target.said, true))
        say_("MLflow does not take how jobs ended: " + closed.error().Message() +
             " (it is asked again)");
      target.pause = std::clamp(2 * target.pause, pauses_.first, pauses_.longest);
      target.due = steady_clock::now() + target.pause;
      target.runs.push_back(std::move(target.runs.front()));
      target.runs.pop_front();
      return;
    }
    open_.Remove(target.runs.front().job);
    target.runs.pop_front();
    target.pause = {};
    target.said = false;
  }
}

// Waits for work; false when the thread must end.
bool RunCloser::WaitForWork() {
  auto due = steady_clock::time_point::max();
  for (const auto& [name, target] : targets_)
    if (!target.runs.empty()) due = std::min(due, target.due);
  const auto wanted = [this] { return stopping_ || !ended_.empty(); };
  std::vector<core::JobId> ended;
  {
    std::unique_lock guard(mutex_);
    is_idle_ = ended_.empty() && due == steady_clock::time_point::max();
    changed_.notify_all();
    if (due == steady_clock::time_point::max())
      changed_.wait(guard, wanted);
    else
      changed_.wait_until(guard, due, wanted);
    ended.swap(ended_);
    is_idle_ = false;
  }
  for (const core::JobId job : ended)
    if (!stopping_) TakeUp(job);
  return !stopping_;
}

void RunCloser::Work() {
  for (const core::JobId job : open_.Jobs())
    if (!stopping_) TakeUp(job);
  do {
    for (auto& [name, target] : targets_)
      if (target.due <= steady_clock::now()) CloseRunsOf(target);
    std::erase_if(targets_, [](const auto& entry) { return entry.second.runs.empty(); });
  } while (WaitForWork());
}

}  // namespace ebb::app
