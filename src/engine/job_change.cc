#include "engine/job_change.h"

#include <algorithm>
#include <string>

#include "core/jobs/widths.h"
#include "engine/admission.h"
#include "engine/apply.h"
#include "plan/feasibility/feasibility.h"

namespace ebb::engine {
namespace {

Error Refusal(core::JobId job, std::string what, std::string next) {
  return {ExitCode::kUsage, std::move(what), "job " + std::to_string(job), std::move(next)};
}

// True if the engine itself set the job's start_by.
bool HasOwnDeadline(const core::Job& job, const Options& options) {
  return job.finish_by ||
         (job.start_by && *job.start_by != job.submitted + options.default_max_delay);
}

bool IsEarlier(const std::optional<Time>& now, const std::optional<Time>& before) {
  return now && (!before || *now < *before);
}

// True if the change asks for more work or for an earlier end, which may be too much for the queue.
bool Narrows(const core::Job& before, const core::Job& now, const Options& options) {
  if (IsEarlier(now.start_by, before.start_by) || IsEarlier(now.finish_by, before.finish_by))
    return true;
  return now.duration > before.duration && HasOwnDeadline(before, options);
}

// Takes the speeds at these widths out.
std::vector<core::WidthSpeed> TakeOut(std::vector<core::WidthSpeed>& speeds,
                                      const std::vector<core::WidthSpeed>& widths) {
  std::vector<core::WidthSpeed> taken;
  std::erase_if(speeds, [&](const core::WidthSpeed& speed) {
    const bool is_one =
        std::ranges::find(widths, speed.devices, &core::WidthSpeed::devices) != widths.end();
    if (is_one) taken.push_back(speed);
    return is_one;
  });
  return taken;
}

Status CheckOfJob(const LiveJob& live, const core::JobChange& change) {
  const core::JobId id = live.job.id;
  if (HoldsDevices(live))
    return Fail(Refusal(id, "runs already", "only a job that waits or is paused can be changed"));
  if (change.duration && live.attempt > 0)
    return Fail(Refusal(id, "has run already, so its run time cannot be estimated again",
                        "leave out the duration"));
  const bool of_start = change.start_by || change.drop_start_by;
  if (of_start && live.first_start && !change.tier)
    return Fail(Refusal(id, "has started already, so a latest start means nothing",
                        "give finish_by for its end"));
  return {};
}

}  // namespace

Result<core::Job> ChangedJob(const State& state, const Options& options, const JobChanged& fact,
                             Time at) {
  if (state.FindEnded(fact.job))
    return Fail(Refusal(fact.job, "has ended", "submit it again, with ebb restart"));
  const LiveJob* live = state.FindLive(fact.job);
  if (!live) live = state.FindHeld(fact.job);
  if (!live) return Fail(Refusal(fact.job, "is not known", "ebb queue lists the jobs"));
  EBB_RETURN_IF_ERROR(CheckOfJob(*live, fact.change));
  core::Job job = live->job;
  if (fact.change.finish_by && !HasOwnDeadline(job, options)) job.start_by.reset();
  job = core::Changed(std::move(job), fact.change);
  EBB_RETURN_IF_ERROR(plan::CheckWaitingJob(job, state.cluster));
  if (Narrows(live->job, job, options)) {
    core::Job asked = job;
    if (live->attempt > 0) asked.duration = live->remaining;
    EBB_RETURN_IF_ERROR(CheckAdmission(state, options, asked, at, {fact.job}));
  }
  if (!job.start_by && !job.finish_by)
    job.start_by = std::max(job.submitted + options.default_max_delay, at);
  return job;
}

Status ApplyChange(Folding& fold, Time at, const JobChanged& fact) {
  EBB_ASSIGN_OR_RETURN(core::Job job, ChangedJob(fold.state, fold.options, fact, at));
  const auto held = fold.state.held.find(fact.job);
  const bool is_held = held != fold.state.held.end();
  LiveJob& live = is_held ? held->second.Change() : fold.Change(fold.state.LowerBound(fact.job));
  live.job = std::move(job);
  if (live.attempt == 0) live.remaining = live.job.duration;
  if (!is_held) fold.change.jobs.push_back(fact.job);
  return {};
}

// Ignores jobs that have ended, and jobs that keep their own width: these have nothing to learn.
// Speeds at widths that the job was refused are kept until it gets them back.
Status ApplySpeedup(Folding& fold, const SpeedupLearned& fact) {
  const auto held = fold.state.held.find(fact.job);
  const bool is_held = held != fold.state.held.end();
  const LiveJob* known = is_held ? &*held->second : fold.state.FindLive(fact.job);
  if (!known || known->job.speedup.empty() || known->job.learned_speedup == fact.speedup) return {};
  core::Job job = known->job;
  job.learned_speedup = fact.speedup;
  const auto refused = std::ranges::find(fold.state.refused_widths, fact.job, &RefusedWidths::job);
  const bool lacks_widths = refused != fold.state.refused_widths.end() && !refused->given.empty();
  std::vector<core::WidthSpeed> of_refused;
  if (lacks_widths) of_refused = TakeOut(job.learned_speedup, refused->given);
  EBB_RETURN_IF_ERROR(core::CheckWidths(job));
  if (lacks_widths) refused->learned = std::move(of_refused);
  LiveJob& live = is_held ? held->second.Change() : fold.Change(fold.state.LowerBound(fact.job));
  live.job = std::move(job);
  if (!is_held) fold.change.jobs.push_back(fact.job);
  return {};
}

}  // namespace ebb::engine
