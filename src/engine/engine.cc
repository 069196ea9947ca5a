// The cycle.

#include "engine/engine.h"

#include <algorithm>
#include <limits>

#include "engine/apply.h"
#include "engine/explain.h"
#include "engine/placement.h"
#include "plan/deadline.h"

namespace ebb::engine {
namespace {

using core::GateRule;

// A policy that wants to be asked again in the past is asked again a little later.
constexpr Duration kShortestWait = std::chrono::seconds{1};
constexpr Duration kRampWindow = std::chrono::minutes{5};
constexpr std::size_t kToldWithCommands = 100;

std::vector<plan::JobView> Views(const State& state) {
  std::vector<plan::JobView> views;
  views.reserve(state.live.size());
  for (const auto& live : state.live) views.push_back(ViewOf(*live, state.cluster, state.now));
  return views;
}

std::vector<plan::SiteView> Sites(State& state) {
  std::vector<plan::SiteView> sites;
  sites.reserve(state.signals.size());
  for (SiteSignal& signal : state.signals) {
    signal.view.now = state.now;
    const bool asked = signal.observed != Time::min() || !signal.lost.empty();
    sites.push_back({&signal.view, signal.next_change, asked});
  }
  return sites;
}

bool WantsDevices(const LiveJob& live, const plan::JobPlan& plan) {
  return plan.run_now && !HoldsDevices(live);
}

// For devices that a job holds, or could get.
bool SomebodyWaits(const State& state, const LiveJob& live) {
  return std::any_of(state.live.begin(), state.live.end(), [&](const auto& other) {
    return &*other != &live && !HoldsDevices(*other) &&
           (live.pool < 0 || core::Fits(other->job, state.cluster, live.pool));
  });
}

// A frozen job that is wanted to run, or whose devices are wanted. A person's hold goes over both.
bool ShouldGoOn(const LiveJob& live, const plan::JobPlan& plan) {
  return IsFrozen(live) && !live.cancel_wanted && live.wish != Wish::kHold &&
         (plan.run_now || !live.job.checkpointable);
}

// What the policy, or the deadline, will not let wait.
bool MustStart(const State& state, std::size_t index, const plan::JobView& view) {
  const GateRule rule = state.schedule.jobs[index].reason.rule;
  return rule == GateRule::kLatestStart || rule == GateRule::kCompulsory ||
         rule == GateRule::kAskedFor ||
         plan::LatestStart(view, state.cluster, state.now) <= state.now;
}

// A running job that the policy wants paused and that has run for long enough.
bool ShouldPause(const LiveJob& live, const plan::JobPlan& plan) {
  const bool can = live.job.checkpointable || (live.job.freeze && live.wish == Wish::kHold);
  return live.stage == Stage::kRunning && can && !plan.run_now && !live.cancel_wanted;
}

Time PausableFrom(const LiveJob& live) { return live.segment_begin + live.job.minimum_segment; }

bool GoesOnAs(const Explanation& before, const Explanation& now) {
  return before.job == now.job && before.stage == now.stage &&
         before.reason.rule == now.reason.rule && before.pool == now.pool;
}

// What one cycle finds out on its way to a decision.
struct Cycle {
  Time now, wake_at;
  std::vector<std::pair<std::size_t, Hold>> held;  ///< jobs that want devices and get none, and why
  std::vector<std::size_t> blocked;                ///< of those: which devices are what they lack

  void WakeBy(Time time) { wake_at = std::min(wake_at, time); }
};

// The jobs that want devices, first to go first.
std::vector<Candidate> InOrder(const State& state, const std::vector<plan::JobView>& views,
                               Cycle& cycle) {
  const std::vector<plan::JobPlan>& plans = state.schedule.jobs;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < state.live.size(); ++i) {
    const LiveJob& live = *state.live[i];
    if (!WantsDevices(live, plans[i])) continue;
    if (live.retry_at > cycle.now) {
      cycle.held.push_back({i, {GateRule::kRetryLater, live.retry_at}});
      cycle.WakeBy(live.retry_at);
    } else {
      candidates.push_back({i, MustStart(state, i, views[i])});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return plans[a.index].order < plans[b.index].order;
  });
  return candidates;
}

// Never more than fits, gangs whole, nobody overtaken who could start.
std::vector<Placement> Place(const Options& options, const State& state,
                             const std::vector<Candidate>& candidates, Cycle& cycle) {
  std::vector<Placement> starts;
  if (candidates.empty()) return starts;
  Placer placer(options, state, cycle.now);
  for (const Candidate& candidate : candidates) {
    const Placement placement = placer.Place(candidate);
    if (placement.pool >= 0) {
      starts.push_back(placement);
    } else {
      cycle.blocked.push_back(placement.index);
      cycle.held.push_back({placement.index, {placement.hold, std::nullopt}});
    }
  }
  cycle.WakeBy(placer.ramp_wake_at());
  return starts;
}

// The stage that the plan wants of a job that holds devices.
void FollowPlan(LiveJob& live, const plan::JobPlan& plan, Cycle& cycle, plan::Change& change) {
  if (ShouldGoOn(live, plan)) {
    LetGoOn(live, cycle.now);
    live.command_due = true;
    change.jobs.push_back(live.job.id);
  }
  if (!ShouldPause(live, plan)) return;
  if (PausableFrom(live) <= cycle.now) {
    live.stage = Stage::kPausing;
    live.since = cycle.now;
    live.command_due = true;
  } else {
    cycle.WakeBy(PausableFrom(live));
  }
}

// What the executor has to be told of a job that holds devices, once.
void CommandIfDue(LiveJob& live, std::vector<Command>& commands) {
  if (!live.command_due) return;
  live.command_due = false;
  if (live.cancel_wanted) {
    commands.push_back(CancelJob{live.job.id, live.attempt});
  } else if (live.stage == Stage::kPausing) {
    commands.push_back(PauseJob{live.job.id, live.attempt});
  } else if (live.stage == Stage::kStarting) {
    commands.push_back(StartJob{live.job.id, live.attempt, live.pool});
  }
}

void Start(LiveJob& live, int pool, Time now, std::vector<Command>& commands) {
  live.stage = Stage::kStarting;
  live.since = live.segment_begin = now;
  live.pool = pool;
  live.attempt_over = false;
  live.start_repeated = false;
  ++live.attempt;
  commands.push_back(StartJob{live.job.id, live.attempt, live.pool});
}

// What differs between what is wanted and what is under way, as commands.
std::vector<Command> Commands(State& state, const std::vector<Placement>& starts, Cycle& cycle,
                              plan::Change& change) {
  std::vector<Command> commands;
  for (std::size_t i = 0; i < state.live.size(); ++i) {
    if (!HoldsDevices(*state.live[i])) continue;
    LiveJob& live = state.live[i].Change();
    FollowPlan(live, state.schedule.jobs[i], cycle, change);
    CommandIfDue(live, commands);
  }
  for (const Placement& placement : starts) {
    LiveJob& live = state.live[placement.index].Change();
    Start(live, placement.pool, cycle.now, commands);
    // A started job is the policy's business again: what it wants of a running one.
    change.jobs.push_back(live.job.id);
  }
  return commands;
}

void ExpectStarts(const State& state, Cycle& cycle) {
  const std::vector<Time> expected = ExpectedStarts(state, cycle.blocked, cycle.now);
  std::size_t next_blocked = 0;
  for (auto& [index, hold] : cycle.held)
    if (hold.rule != GateRule::kRetryLater) hold.expected_start = expected[next_blocked++];
}

}  // namespace

Engine::Engine(Options options, std::unique_ptr<plan::Policy> policy)
    : options_(options), policy_(std::move(policy)) {}

Decision Engine::Decide(Time now, Planning planning) {
  // Snapshot: everything below sees one moment.
  state_.now = std::max(state_.now, now);
  StopInOutage();
  JudgeFreezing();
  const std::vector<plan::JobView> views = Views(state_);
  const std::vector<plan::SiteView> sites = Sites(state_);

  Plan(planning, views, sites);
  Cycle cycle;
  cycle.now = state_.now;
  cycle.wake_at =
      std::max(std::min(state_.schedule.wake_at, RunInOutage()), cycle.now + kShortestWait);
  FollowWishes();
  const std::vector<Candidate> candidates = InOrder(state_, views, cycle);
  const std::vector<Placement> starts = Place(options_, state_, candidates, cycle);

  Decision decision;
  decision.at = cycle.now;
  decision.planning = planning;
  decision.commands = Commands(state_, starts, cycle, change_);
  if (options_.ramp_limit_per_5_minutes) RememberStarts(starts);
  if (!decision.commands.empty() || !just_left_.empty()) deadlines_.reset();

  ExpectStarts(state_, cycle);
  decision.wake_at = Explain(cycle.held, decision) ? cycle.wake_at : cycle.now;
  return decision;
}

void LetGoOn(LiveJob& live, Time now) {
  live.stage = Stage::kStarting;
  live.since = live.segment_begin = now;
  live.start_repeated = false;
}

// A frozen job keeps its devices, and two devices' worth of work on one ends later however it is
// frozen: so it is a policy's to pause only while nobody else waits.
void Engine::JudgeFreezing() {
  for (auto& live : state_.live) {
    if (!live->job.freeze) continue;
    const bool pausable = !SomebodyWaits(state_, *live);
    if (pausable == live->job.checkpointable) continue;
    live.Change().job.checkpointable = pausable;
    change_.jobs.push_back(live->job.id);
  }
}

// What somebody wants of a job goes over what the policy wants.
void Engine::FollowWishes() {
  for (std::size_t i = 0; i < state_.live.size(); ++i) {
    plan::JobPlan& plan = state_.schedule.jobs[i];
    if (state_.live[i]->wish == Wish::kHold) {
      plan.run_now = false;
      plan.reason.rule = GateRule::kHeld;
    } else if (state_.live[i]->wish == Wish::kNow) {
      plan.run_now = true;
      plan.reason.rule = GateRule::kAskedFor;
      plan.order.rank = std::numeric_limits<int>::min();
      if (!HoldsDevices(state_.live[i]->stage)) plan.pool = -1;
    }
  }
}

void Engine::RememberStarts(const std::vector<Placement>& starts) {
  std::erase_if(state_.recent_starts,
                [&](const RecentStart& start) { return start.at <= state_.now - kRampWindow; });
  for (const Placement& placement : starts) {
    const auto& pool = state_.cluster.pools[static_cast<std::size_t>(placement.pool)];
    state_.recent_starts.push_back(
        {state_.now, core::PowerOn(state_.live[placement.index]->job, pool)});
  }
}

// Writing down and showing why each of a long queue waits takes longer than to start the few that a
// new value lets start, and those would wait for it.
bool Engine::Explain(std::vector<std::pair<std::size_t, Hold>>& held, Decision& decision) {
  for (const core::JobId id : just_left_) {
    if (!state_.FindLive(id)) decision.explanations.push_back(*Explain(id));
  }
  just_left_.clear();
  std::sort(held.begin(), held.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  // Waits on as before, for changed numbers; a new job has no expected start yet.
  const auto can_follow = [&](std::size_t i, const Explanation& explanation) {
    const Explanation& told = state_.live[i]->explanation;
    return told.reason.start && told.stage == explanation.stage;
  };
  std::vector<std::pair<std::size_t, Explanation>> changed;
  std::size_t following = 0;
  auto hold = held.begin();
  for (std::size_t i = 0; i < state_.live.size(); ++i) {
    const Hold* reason = nullptr;
    if (hold != held.end() && hold->first == i) reason = &(hold++)->second;
    const Explanation explanation = ExplanationOf(state_, i, reason, state_.now);
    if (explanation == state_.live[i]->explanation) continue;
    following += can_follow(i, explanation) ? 1 : 0;
    changed.emplace_back(i, explanation);
  }
  const bool all = decision.commands.empty() || following <= kToldWithCommands;
  for (auto& [index, explanation] : changed) {
    if (!all && can_follow(index, explanation)) continue;
    Explanation& told = state_.live[index].Change().explanation;
    auto& list = GoesOnAs(told, explanation) ? decision.restated : decision.explanations;
    list.push_back(explanation);
    told = explanation;
  }
  return all;
}

const Explanation* Engine::Explain(core::JobId job) const {
  if (const LiveJob* live = state_.FindLive(job)) return &live->explanation;
  if (const LiveJob* held = state_.FindHeld(job)) return &held->explanation;
  const EndedJob* ended = state_.FindEnded(job);
  return ended ? &ended->explanation : nullptr;
}

}  // namespace ebb::engine
