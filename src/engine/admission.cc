#include "engine/admission.h"

#include <algorithm>

#include "engine/apply.h"
#include "plan/feasibility/feasibility.h"

namespace ebb::engine {

QueueNow::QueueNow(const State& state, Time at, const std::vector<core::JobId>& without)
    : problem{at, &state.cluster, {}, {}} {
  views.reserve(state.live.size());
  for (const auto& live : state.live) {
    const bool leaves = std::find(without.begin(), without.end(), live->job.id) != without.end();
    if (live->cancel_wanted || leaves) continue;
    plan::JobView view = ViewOf(*live, state.cluster, at);
    if (live->job.freeze && HoldsDevices(*live)) {
      running_on.push_back(live->job);
      running_on.back().checkpointable = false;
      view.job = &running_on.back();
      view.state = plan::JobState::kRunning;
      view.pool = live->pool;
      view.segment_begin = live->segment_begin;
    }
    views.push_back(view);
  }
  problem.jobs = views;
}

bool IsForWantOfAway(const State& state, const core::Job& job, Time at,
                     const std::vector<core::JobId>& without) {
  const core::Cluster all = core::WithAway(state.cluster);
  if (all == state.cluster) return false;
  const Time opens = OpensAt(state, at);
  QueueNow queue(state, opens, without);
  queue.problem.cluster = &all;
  plan::DeadlineCheck deadlines(queue.problem);
  return deadlines.Check(job, all, opens, [&] { return queue.problem; }).has_value();
}

Error WithDrain(Error error, const State& state) {
  if (state.drain && state.drain->until) error.what += "; " + DrainText(*state.drain);
  return error;
}

bool IsHeldAgainstQueue(const Options& options, const core::Job& job,
                        const core::Cluster& cluster) {
  if (options.admission != Admission::kDeadlines || (!job.start_by && !job.finish_by)) return false;
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool)
    if (core::Fits(job, cluster, pool)) return true;
  return false;
}

Status CheckAdmission(const State& state, const Options& options, const core::Job& job, Time at,
                      const std::vector<core::JobId>& without) {
  EBB_RETURN_IF_ERROR(plan::CheckWaitingJob(job, state.cluster));
  if (!IsHeldAgainstQueue(options, job, state.cluster)) return {};
  const Time opens = OpensAt(state, at);
  const QueueNow queue(state, opens, without);
  plan::DeadlineCheck deadlines(queue.problem);
  Status taken = deadlines.Check(job, state.cluster, opens, [&] { return queue.problem; });
  if (taken || IsForWantOfAway(state, job, at, without)) return {};
  return Fail(WithDrain(taken.error(), state));
}

}  // namespace ebb::engine
