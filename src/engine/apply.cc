#include "engine/apply.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "engine/admission.h"
#include "plan/feasibility/feasibility.h"

namespace ebb::engine {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

std::string JobText(core::JobId id) { return "job " + std::to_string(id); }

Status Apply(Folding& fold, ClusterChanged&& fact) {
  State& state = fold.state;
  core::Cluster& cluster = fact.cluster;
  const auto refuse = [](std::string what) {
    return Fail({ExitCode::kConfiguration, std::move(what), "cluster", ""});
  };
  if (cluster.sites.size() < state.cluster.sites.size() ||
      cluster.pools.size() < state.cluster.pools.size())
    return refuse("a site or a pool may not vanish (give the pool 0 devices)");
  for (const core::DevicePool& pool : cluster.pools) {
    if (pool.site < 0 || pool.site >= static_cast<int>(cluster.sites.size()))
      return refuse("pool " + pool.model + " is at no site");
    if (pool.count < 0 || !(pool.speed > 0)) return refuse("pool " + pool.model + " has no size");
  }
  if (cluster == state.cluster) return {};
  state.cluster = std::move(cluster);
  state.signals.resize(state.cluster.sites.size());
  fold.change.cluster = true;
  return {};
}

// The check of the whole queue is kept, so that many submissions in a row share it.
Status CheckSubmission(Folding& fold, const core::Job& job, Time at) {
  const State& state = fold.state;
  EBB_RETURN_IF_ERROR(plan::CheckWaitingJob(job, state.cluster));
  if (!IsHeldAgainstQueue(fold.options, job, state.cluster)) return {};
  const Time opens = OpensAt(state, at);
  std::optional<QueueNow> queue;
  const auto look = [&] {
    if (!queue) queue.emplace(state, opens);
    return queue->problem;
  };
  if (!fold.deadlines) fold.deadlines.emplace(look());
  Status taken = fold.deadlines->Check(job, state.cluster, opens, look);
  if (taken || IsForWantOfAway(state, job, at)) return {};
  return Fail(WithDrain(taken.error(), state));
}

Status Apply(Folding& fold, Time at, JobSubmitted&& fact) {
  State& state = fold.state;
  const core::JobId id = fact.job.id;
  if (state.FindLive(id) || state.FindHeld(id) || state.FindEnded(id)) return {};
  EBB_RETURN_IF_ERROR(core::CheckWidths(fact.job));
  if (!fold.options.changes_widths) {
    fact.job.speedup.clear();
    fact.job.learned_speedup.clear();
  }
  EBB_RETURN_IF_ERROR(CheckSubmission(fold, fact.job, at));
  LiveJob live;
  live.job = std::move(fact.job);
  live.since = at;
  live.remaining = live.job.duration;
  live.explanation.job = id;
  if (!live.job.start_by && !live.job.finish_by)
    live.job.start_by = live.job.submitted + fold.options.default_max_delay;
  if (fold.deadlines) fold.deadlines->Add(live.job, state.cluster, OpensAt(state, at));
  AddLive(fold, Lendable<LiveJob>(std::move(live)));
  return {};
}

Status Apply(Folding& fold, Time at, const JobCancelled& fact) {
  if (fold.state.FindHeld(fact.job)) LetGo(fold, fact.job, at);
  const std::size_t index = fold.state.LowerBound(fact.job);
  if (!fold.state.FindLive(fact.job)) {
    if (fold.state.FindEnded(fact.job)) return {};
    return Fail({ExitCode::kUsage, "is not known", JobText(fact.job), ""});
  }
  if (!fold.state.live[index]->cancel_wanted) fold.Change(index).cancel_why = fact.why;
  if (!HoldsDevices(*fold.state.live[index])) {
    EndJob(fold, index, Stage::kCancelled, at);
    return {};
  }
  LiveJob& live = fold.Change(index);
  if (!live.cancel_wanted) {
    live.cancel_wanted = true;
    live.command_due = true;
  }
  return {};
}

// A decision must report the end of a job once before the engine forgets the job.
Status Apply(Folding& fold, const EndedForgotten& fact) {
  const auto is_news = [&](core::JobId id) {
    return std::find(fold.just_left.begin(), fold.just_left.end(), id) != fold.just_left.end();
  };
  std::erase_if(fold.state.ended, [&](const auto& entry) {
    return entry.second.ended < fact.before && !is_news(entry.first);
  });
  return {};
}

Result<SiteSignal*> SignalOf(State& state, int site) {
  if (site < 0 || site >= static_cast<int>(state.signals.size()))
    return Fail(
        {ExitCode::kConfiguration, "there is no site " + std::to_string(site), "signal", ""});
  return &state.signals[static_cast<std::size_t>(site)];
}

Status Apply(Folding& fold, SignalObserved&& fact) {
  EBB_ASSIGN_OR_RETURN(SiteSignal* const signal, SignalOf(fold.state, fact.site));
  if (fact.view.now < signal->observed) return {};
  signal->observed = fact.view.now;
  signal->view = std::move(fact.view);
  signal->next_change = fact.next_change;
  signal->lost.clear();
  fold.change.signals = true;
  return {};
}

Status Apply(Folding& fold, Time at, SignalLost&& fact) {
  EBB_ASSIGN_OR_RETURN(SiteSignal* const signal, SignalOf(fold.state, fact.site));
  signal->lost = fact.why.empty() ? "no reason given" : std::move(fact.why);
  signal->next_change = fact.retry_at;
  if (at >= signal->view.forecast.issued + fold.options.forecast_limit) signal->view.forecast = {};
  // The last known value may have run out by now, so policies have to look again.
  fold.change.signals = true;
  return {};
}

}  // namespace

std::size_t AddLive(Folding& fold, Lendable<LiveJob> live) {
  const core::JobId id = live->job.id;
  const std::size_t index = fold.state.LowerBound(id);
  const auto at = static_cast<std::ptrdiff_t>(index);
  fold.state.live.insert(fold.state.live.begin() + at, std::move(live));
  fold.state.schedule.jobs.insert(fold.state.schedule.jobs.begin() + at, plan::JobPlan{});
  fold.change.jobs.push_back(id);
  fold.touched.push_back(id);
  return index;
}

Lendable<LiveJob> TakeLive(Folding& fold, std::size_t index) {
  const auto at = static_cast<std::ptrdiff_t>(index);
  Lendable<LiveJob> live = std::move(fold.state.live[index]);
  fold.state.live.erase(fold.state.live.begin() + at);
  fold.state.schedule.jobs.erase(fold.state.schedule.jobs.begin() + at);
  fold.change.jobs.push_back(live->job.id);
  fold.touched.push_back(live->job.id);
  fold.just_left.push_back(live->job.id);
  return live;
}

void EndJob(Folding& fold, std::size_t index, Stage stage, Time at) {
  State& state = fold.state;
  const LiveJob& live = *state.live[index];
  const core::JobId id = live.job.id;
  EndedJob ended;
  ended.stage = stage;
  ended.attempt = live.attempt;
  ended.pauses = live.pauses;
  ended.submitted = live.job.submitted;
  ended.first_start = live.first_start;
  ended.ended = at;
  if (stage == Stage::kCancelled) ended.detail = live.cancel_why;
  ended.explanation = live.explanation;
  ended.explanation.stage = stage;
  ended.explanation.reason.end = at;
  state.ended.emplace(id, std::move(ended));
  std::erase_if(state.refused_widths,
                [&](const RefusedWidths& refused) { return refused.job == id; });
  TakeLive(fold, index);
}

Status Engine::Apply(Event event) { return Apply(std::move(event), options_); }

Status Engine::Reapply(Event event) {
  Options options = options_;
  options.admission = Admission::kTakeAll;
  return Apply(std::move(event), options);
}

Status Engine::Apply(Event event, const Options& options) {
  const bool only_grows = std::holds_alternative<JobSubmitted>(event.fact) ||
                          std::holds_alternative<SignalObserved>(event.fact) ||
                          std::holds_alternative<SignalLost>(event.fact);
  if (!only_grows) deadlines_.reset();
  Folding fold{options, state_, change_, just_left_, deadlines_, touched_};
  const Time at = event.at;
  return std::visit(
      Overloaded{
          [&](ClusterChanged& fact) { return engine::Apply(fold, std::move(fact)); },
          [&](JobSubmitted& fact) { return engine::Apply(fold, at, std::move(fact)); },
          [&](JobCancelled& fact) { return engine::Apply(fold, at, fact); },
          [&](JobControlled& fact) { return ApplyJobControl(fold, at, fact); },
          [&](SignalObserved& fact) { return engine::Apply(fold, std::move(fact)); },
          [&](SignalLost& fact) { return engine::Apply(fold, at, std::move(fact)); },
          [&](JobReport& fact) { return ApplyReport(fold, fact); },
          [&](ExecutorObserved& fact) { return ApplyObserved(fold, at, fact); },
          [&](Tick&) { return Status{}; },
          [&](EndedForgotten& fact) { return engine::Apply(fold, fact); },
          [&](ClockSet& fact) { return ApplyClockSet(fold, fact); },
          [&](JobChanged& fact) { return ApplyChange(fold, at, fact); },
          [&](SpeedupLearned& fact) { return ApplySpeedup(fold, fact); },
          [&](DrainSet& fact) { return ApplyDrain(fold, at, fact); },
      },
      event.fact);
}

}  // namespace ebb::engine
