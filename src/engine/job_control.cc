// Controls that people set on single jobs; they override the plan. A held job leaves everything
// that plans, so that no plan keeps a place for it. When the hold ends, the job comes back as it
// was, with its deadlines and its remaining work.

#include <string>

#include "engine/apply.h"

namespace ebb::engine {
namespace {

Status Refuse(core::JobId job, std::string what, std::string next) {
  return Fail({ExitCode::kUsage, std::move(what), "job " + std::to_string(job), std::move(next)});
}

Status HoldLive(Folding& fold, Time at, core::JobId job) {
  LiveJob& live = fold.Change(fold.state.LowerBound(job));
  if (HoldsDevices(live) && !live.job.checkpointable && !live.job.freeze)
    return Refuse(job, "runs and cannot be paused: it writes no checkpoint",
                  "let it run, or cancel it");
  live.control = JobControl::kHold;
  fold.change.jobs.push_back(job);
  HoldBackIfHeld(fold, job, at);
  return {};
}

}  // namespace

void HoldBackIfHeld(Folding& fold, core::JobId job, Time at) {
  const LiveJob* wanted = fold.state.FindLive(job);
  if (!wanted || wanted->control != JobControl::kHold || HoldsDevices(*wanted)) return;
  Lendable<LiveJob> taken = TakeLive(fold, fold.state.LowerBound(job));
  LiveJob& held = taken.Change();
  held.since = at;
  Explanation explanation;
  explanation.job = job;
  explanation.stage = held.stage;
  explanation.reason.rule = core::GateRule::kHeld;
  held.explanation = explanation;
  fold.state.held.emplace(job, std::move(taken));
}

std::size_t LetGo(Folding& fold, core::JobId job, Time at) {
  const auto found = fold.state.held.find(job);
  Lendable<LiveJob> taken = std::move(found->second);
  fold.state.held.erase(found);
  LiveJob& live = taken.Change();
  live.control = JobControl::kNone;
  live.since = at;
  return AddLive(fold, std::move(taken));
}

Status ApplyJobControl(Folding& fold, Time at, const JobControlled& fact) {
  State& state = fold.state;
  if (state.FindEnded(fact.job)) return Refuse(fact.job, "has ended", "submit it again");
  if (state.FindHeld(fact.job)) {
    if (fact.control == JobControl::kHold) return {};
    LetGo(fold, fact.job, at);
  }
  if (!state.FindLive(fact.job)) return Refuse(fact.job, "is not known", "");
  if (fact.control == JobControl::kHold) return HoldLive(fold, at, fact.job);
  fold.Change(state.LowerBound(fact.job)).control = fact.control;
  fold.change.jobs.push_back(fact.job);
  return {};
}

}  // namespace ebb::engine
