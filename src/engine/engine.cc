// The decision cycle.

#include "engine/engine.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/devices/reach.h"
#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "engine/apply.h"
#include "engine/change_room.h"
#include "engine/explain.h"
#include "engine/move.h"
#include "engine/placement.h"
#include "engine/queue_index.h"
#include "plan/deadline.h"

namespace ebb::engine {

// Intermediate results of one cycle on the way to its decision.
struct Cycle {
  Time now, wake_at;
  std::vector<std::pair<std::size_t, Hold>> held;  ///< jobs that want devices and get none, with
                                                   ///< the reason
  std::vector<std::size_t> blocked;                ///< the held jobs that only lack devices
  bool is_full = false;                            ///< the decision reached its limit of starts;
                                                   ///< other jobs may start with the next one

  void WakeBy(Time time) { wake_at = std::min(wake_at, time); }
};

namespace {

using core::GateRule;

// The shortest time until the policy is asked again, even if it wants to be asked at once.
constexpr Duration kShortestWait = std::chrono::seconds{1};
constexpr Duration kRampWindow = std::chrono::minutes{5};
constexpr std::size_t kToldWithCommands = 100;

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

// True if another job waits for devices that this job holds or could get.
bool SomebodyWaits(const State& state, const LiveJob& live) {
  return std::any_of(state.live.begin(), state.live.end(), [&](const auto& other) {
    return &*other != &live && !HoldsDevices(*other) &&
           (live.pool < 0 || core::Fits(other->job, state.cluster, live.pool));
  });
}

// True if a frozen job should go on, because its plan says so or because other jobs want its
// devices. A person's hold overrides both, and a drain overrides everything.
bool ShouldGoOn(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  return !state.drain && IsFrozen(live) && !live.cancel_wanted &&
         live.control != JobControl::kHold && (plan.run_now || !live.job.checkpointable);
}

// True if the policy or the deadline does not let the job wait.
bool MustStart(const State& state, std::size_t index, const plan::JobView& view) {
  const GateRule rule = state.schedule.jobs[index].reason.rule;
  return rule == GateRule::kLatestStart || rule == GateRule::kCompulsory ||
         rule == GateRule::kAskedFor ||
         plan::LatestStart(view, state.cluster, state.now) <= state.now;
}

// True if the policy wants to pause a running job that has run for long enough. While the queue
// drains, or the job's site cannot be reached, only a person's hold pauses a job.
bool ShouldPause(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  const bool held = live.control == JobControl::kHold;
  const bool can = live.job.checkpointable || (live.job.freeze && held);
  const bool stops = !plan.run_now || GoesElsewhere(state, live, plan) ||
                     GoesOnAtAnotherWidth(live, plan, state.now);
  const bool is_left_alone = state.drain || core::IsOutOfReach(state.cluster, live.pool);
  return live.stage == Stage::kRunning && can && stops && !live.cancel_wanted &&
         (!is_left_alone || held);
}

Time PausableFrom(const LiveJob& live) {
  return live.segment_begin + live.moving + live.job.minimum_segment;
}

// When a running job may be paused; nothing: the pause would be for a move, or another width, that
// saves too little. A person's hold is no move, and the shortest piece that plans make does not
// delay it. What a move or a narrower width saves does not matter if others need the devices.
std::optional<Time> PauseAt(const State& state, const LiveJob& live, const plan::JobPlan& plan,
                            ChangeRoom& room) {
  if (live.control == JobControl::kHold) return state.now;
  if (GoesOnAtAnotherWidth(live, plan, state.now)) {
    if (!IsWorthANewWidth(state, live, plan) && !room.IsNeeded(live, WantedWidth(live, plan)))
      return std::nullopt;
    return std::max(PausableFrom(live), ProgressFrom(live) + kWorksFor);
  }
  if (!GoesElsewhere(state, live, plan)) return PausableFrom(live);
  if (!IsWorthMoving(state, live, plan) && !room.IsNeeded(live, 0)) return std::nullopt;
  return std::max(PausableFrom(live), live.segment_begin + core::kStaysFor);
}

bool GoesOnAs(const Explanation& before, const Explanation& now) {
  return before.job == now.job && before.stage == now.stage &&
         before.reason.rule == now.reason.rule && before.pool == now.pool;
}

// True if a failed start keeps the job from starting again yet.
bool WaitsToRetry(const State& state, std::size_t index, Cycle& cycle) {
  const Time retry_at = state.live[index]->retry_at;
  if (retry_at <= cycle.now) return false;
  cycle.held.push_back({index, {GateRule::kRetryLater, retry_at}});
  cycle.WakeBy(retry_at);
  return true;
}

std::vector<std::size_t> Wanting(const State& state, const QueueIndex& queue_index, Cycle& cycle) {
  std::vector<std::size_t> wanting = queue_index.Of(QueueIndex::kWanting);
  const auto& retried = queue_index.Of(QueueIndex::kRetried);
  if (retried.empty()) return wanting;
  std::erase_if(wanting, [&](std::size_t i) {
    return std::binary_search(retried.begin(), retried.end(), i) && WaitsToRetry(state, i, cycle);
  });
  return wanting;
}

bool NothingIsFree(const State& state, const QueueIndex& queue_index) {
  const std::vector<int> free = FreeDevices(state, queue_index.Of(QueueIndex::kHolding));
  return std::all_of(free.begin(), free.end(), [](int devices) { return devices <= 0; });
}

// Gives devices to jobs: never more than there are, whole gangs only, and no job overtakes one that
// could start. Jobs are sorted only as far as the search needs: without explanations it ends once
// every device is taken.
std::vector<Placement> Place(const Options& options, bool explains, const State& state,
                             const QueueIndex& queue_index, Cycle& cycle) {
  std::vector<Placement> starts;
  if (state.drain) return starts;
  std::vector<std::size_t> wanting = Wanting(state, queue_index, cycle);
  if (wanting.empty() || (!explains && NothingIsFree(state, queue_index))) return starts;
  const std::vector<plan::JobPlan>& plans = state.schedule.jobs;
  const auto goes_later = [&](std::size_t a, std::size_t b) {
    return plans[a].order != plans[b].order ? plans[a].order > plans[b].order : a > b;
  };
  std::make_heap(wanting.begin(), wanting.end(), goes_later);
  Placer placer(options, state, queue_index.Of(QueueIndex::kHolding), cycle.now);
  for (auto end = wanting.end(); end != wanting.begin(); --end) {
    cycle.is_full = options.most_starts && std::ssize(starts) >= *options.most_starts;
    if (cycle.is_full) break;
    std::pop_heap(wanting.begin(), end, goes_later);
    const std::size_t index = *std::prev(end);
    const Placement placement =
        placer.Place({index, MustStart(state, index, queue_index.views()[index])});
    if (placement.pool >= 0) {
      starts.push_back(placement);
    } else {
      cycle.blocked.push_back(placement.index);
      cycle.held.push_back({placement.index, {placement.hold, std::nullopt}});
    }
    if (!explains && placer.nothing_is_free()) break;
  }
  cycle.WakeBy(placer.ramp_wake_at());
  return starts;
}

// The step that takes a job that holds devices to the stage that its plan wants.
enum class Step { kNone, kGoOn, kPause };

Step NextStep(const State& state, std::size_t index, ChangeRoom& room, Cycle& cycle) {
  const LiveJob& live = *state.live[index];
  const plan::JobPlan& plan = state.schedule.jobs[index];
  if (ShouldGoOn(state, live, plan)) return Step::kGoOn;
  if (!ShouldPause(state, live, plan)) return Step::kNone;
  const std::optional<Time> pause_at = PauseAt(state, live, plan, room);
  if (!pause_at) return Step::kNone;
  if (*pause_at > cycle.now) {
    cycle.WakeBy(*pause_at);
    return Step::kNone;
  }
  bool has_room = true;
  if (live.control != JobControl::kHold) {
    if (GoesOnAtAnotherWidth(live, plan, state.now))
      has_room = room.Take(live, WantedWidth(live, plan));
    else if (plan.run_now && GoesElsewhere(state, live, plan))
      has_room = room.HasMove(index);
  }
  return has_room ? Step::kPause : Step::kNone;
}

// The running jobs that are to go to another site now, and may leave theirs.
std::vector<std::size_t> Movers(const State& state, const QueueIndex& index, ChangeRoom& room) {
  std::vector<std::size_t> movers;
  for (const std::size_t i : index.Of(QueueIndex::kHolding)) {
    const LiveJob& live = *state.live[i];
    const plan::JobPlan& plan = state.schedule.jobs[i];
    if (live.control == JobControl::kHold || !plan.run_now || !GoesElsewhere(state, live, plan) ||
        !ShouldPause(state, live, plan))
      continue;
    const auto pause_at = PauseAt(state, live, plan, room);
    if (pause_at && *pause_at <= state.now) movers.push_back(i);
  }
  return movers;
}

// Adds the command that the executor needs about a job that holds devices, once.
void CommandIfDue(LiveJob& live, std::vector<Command>& commands) {
  if (!live.command_due) return;
  live.command_due = false;
  if (live.cancel_wanted) {
    commands.push_back(CancelJob{live.job.id, live.attempt});
  } else if (live.stage == Stage::kPausing) {
    commands.push_back(PauseJob{live.job.id, live.attempt});
  } else if (live.stage == Stage::kStarting) {
    commands.push_back(StartJob{live.job.id, live.attempt, live.pool, live.devices});
  }
}

void Start(LiveJob& live, const core::Cluster& cluster, const Placement& placement, Time now,
           std::vector<Command>& commands) {
  const int pool = placement.pool;
  live.stage = Stage::kStarting;
  live.since = live.segment_begin = now;
  live.pool = pool;
  live.devices = placement.devices;
  live.moving = core::MoveTo(live.job, cluster, live.last_site.value_or(-1), pool).takes;
  live.attempt_over = false;
  live.start_repeated = false;
  ++live.attempt;
  commands.push_back(StartJob{live.job.id, live.attempt, live.pool, live.devices});
}

void ExpectStarts(const State& state, const QueueIndex& queue_index, Cycle& cycle) {
  const std::vector<Time> expected =
      ExpectedStarts(state, queue_index.Of(QueueIndex::kHolding), cycle.blocked, cycle.now);
  std::size_t next_blocked = 0;
  for (auto& [index, hold] : cycle.held)
    if (hold.rule != GateRule::kRetryLater) hold.expected_start = expected[next_blocked++];
}

}  // namespace

Engine::Engine(Options options, std::unique_ptr<plan::Policy> policy, Explaining explaining)
    : options_(options),
      policy_(std::move(policy)),
      explains_(explaining == Explaining::kChanges),
      queue_index_(std::make_unique<QueueIndex>()) {}

Engine::Engine(Engine&&) noexcept = default;
Engine::~Engine() = default;

Decision Engine::Decide(Time now, Planning planning) {
  // The whole cycle uses one moment.
  state_.now = std::max(state_.now, now);
  EndDrainIfOver();
  GiveWidthsBack();
  FollowChanges();
  const std::vector<plan::SiteView> sites = Sites(state_);

  Plan(planning, sites);
  Cycle cycle;
  cycle.now = state_.now;
  cycle.wake_at = std::min(state_.schedule.wake_at, RunInOutage());
  if (cycle.wake_at <= cycle.now) cycle.wake_at = cycle.now + kShortestWait;
  if (state_.drain) cycle.WakeBy(state_.drain->until.value_or(Time::max()));
  for (const RefusedWidths& refused : state_.refused_widths)
    if (!refused.given.empty()) cycle.WakeBy(refused.until);
  FollowJobControls();
  const std::vector<Placement> starts = Place(options_, explains_, state_, *queue_index_, cycle);

  Decision decision;
  decision.at = cycle.now;
  decision.planning = planning;
  decision.commands = Commands(starts, cycle);
  if (options_.ramp_limit_per_5_minutes) RememberStarts(starts);
  if (!decision.commands.empty() || !just_left_.empty()) deadlines_.reset();

  const bool all_told = Explain(cycle, decision);
  decision.wake_at = all_told && !cycle.is_full ? cycle.wake_at : cycle.now;
  return decision;
}

LiveJob& Engine::Change(std::size_t index) {
  touched_.push_back(state_.live[index]->job.id);
  return state_.live[index].Change();
}

void Engine::EndDrainIfOver() {
  if (!state_.drain || !IsOver(*state_.drain, state_.now)) return;
  state_.drain.reset();
  change_.cluster = true;  // the same change as when a person ends the drain
}

// Adds the effects of outages and freezing to the changes. If the cluster changed, any job may have
// changed.
void Engine::FollowChanges() {
  if (change_.cluster) queue_index_->Forget();
  queue_index_->Follow(state_, std::exchange(touched_, {}));
  StopInOutage();
  JudgeFreezing();
  queue_index_->Follow(state_, std::exchange(touched_, {}));
}

// The commands that turn the current stages into the wanted ones. Once a job starts or goes on, the
// policy decides about it again.
std::vector<Command> Engine::Commands(const std::vector<Placement>& starts, Cycle& cycle) {
  std::vector<Command> commands;
  ChangeRoom room(state_, *queue_index_, starts);
  room.TakeMoves(Movers(state_, *queue_index_, room));
  for (const std::size_t i : queue_index_->Of(QueueIndex::kHolding)) {
    const Step step = NextStep(state_, i, room, cycle);
    if (step == Step::kNone && !state_.live[i]->command_due) continue;
    LiveJob& live = state_.live[i].Change();
    if (step == Step::kGoOn) {
      LetGoOn(live, cycle.now);
      change_.jobs.push_back(live.job.id);
    } else if (step == Step::kPause) {
      live.stage = Stage::kPausing;
      live.since = cycle.now;
    }
    live.command_due = live.command_due || step != Step::kNone;
    CommandIfDue(live, commands);
    queue_index_->Refresh(state_, i);
  }
  for (const Placement& placement : starts) {
    LiveJob& live = state_.live[placement.index].Change();
    Start(live, state_.cluster, placement, cycle.now, commands);
    change_.jobs.push_back(live.job.id);
    queue_index_->Refresh(state_, placement.index);
  }
  return commands;
}

void LetGoOn(LiveJob& live, Time now) {
  live.stage = Stage::kStarting;
  live.since = live.segment_begin = now;
  live.start_repeated = false;
}

// A policy may pause a freezable job only while no other job waits for its devices. A frozen job
// keeps its devices, so while there is more work than devices, freezing only makes jobs end later.
void Engine::JudgeFreezing() {
  for (const std::size_t i : queue_index_->Of(QueueIndex::kFreezable)) {
    const auto& live = state_.live[i];
    const bool pausable = !SomebodyWaits(state_, *live);
    if (pausable == live->job.checkpointable) continue;
    Change(i).job.checkpointable = pausable;
    change_.jobs.push_back(live->job.id);
  }
}

// A person's control of a job overrides the policy.
void Engine::FollowJobControls() {
  for (const std::size_t i : queue_index_->Of(QueueIndex::kControlled)) {
    plan::JobPlan& plan = state_.schedule.jobs[i];
    if (state_.live[i]->control == JobControl::kHold) {
      plan.run_now = false;
      plan.reason.rule = GateRule::kHeld;
    } else if (state_.live[i]->control == JobControl::kNow) {
      plan.run_now = true;
      plan.reason.rule = GateRule::kAskedFor;
      plan.order.rank = std::numeric_limits<int>::min();
      if (!HoldsDevices(state_.live[i]->stage)) plan.pool = -1;
    }
    queue_index_->FollowPlan(state_, i);
  }
}

void Engine::RememberStarts(const std::vector<Placement>& starts) {
  std::erase_if(state_.recent_starts,
                [&](const RecentStart& start) { return start.at <= state_.now - kRampWindow; });
  for (const Placement& placement : starts) {
    const auto& pool = state_.cluster.pools[static_cast<std::size_t>(placement.pool)];
    const LiveJob& live = *state_.live[placement.index];
    state_.recent_starts.push_back({state_.now, core::PowerOn(live.job, pool, live.width())});
  }
}

// For a long queue, it takes longer to record and show why each job waits than to start the few
// jobs that a new value allows. Those starts must not wait for it.
bool Engine::Explain(Cycle& cycle, Decision& decision) {
  if (!explains_) {
    just_left_.clear();
    queue_index_->Set(QueueIndex::kNews, {});
    return true;
  }
  ExpectStarts(state_, *queue_index_, cycle);
  for (const core::JobId id : just_left_) {
    if (!state_.FindLive(id)) decision.explanations.push_back(*Explain(id));
  }
  just_left_.clear();
  // The explanation may come later if the job only waits on with new numbers. A new job has no
  // expected start yet, so its explanation cannot.
  const auto can_follow = [&](std::size_t i, const Explanation& explanation) {
    const Explanation& told = state_.live[i]->explanation;
    return told.reason.start && told.stage == explanation.stage;
  };
  std::vector<std::pair<std::size_t, Explanation>> changed;
  std::size_t following = 0;
  const QueueIndex::Places places = ToExplain(cycle);
  auto hold = cycle.held.begin();
  for (const std::size_t i : places) {
    const Hold* reason = nullptr;
    if (hold != cycle.held.end() && hold->first == i) reason = &(hold++)->second;
    const Explained explained = ExplanationOf(state_, i, reason, state_.now);
    queue_index_->ExplainAgainAt(i, explained.until);
    if (explained.explanation == state_.live[i]->explanation) continue;
    following += can_follow(i, explained.explanation) ? 1 : 0;
    changed.emplace_back(i, explained.explanation);
  }
  const bool all = decision.commands.empty() || (following <= kToldWithCommands && !cycle.is_full);
  QueueIndex::Places untold;
  for (auto& [index, explanation] : changed) {
    if (!all && can_follow(index, explanation)) {
      untold.push_back(index);
      continue;
    }
    Explanation& told = state_.live[index].Change().explanation;
    queue_index_->Repoint(state_, index);
    auto& list = GoesOnAs(told, explanation) ? decision.restated : decision.explanations;
    list.push_back(explanation);
    told = explanation;
  }
  queue_index_->Set(QueueIndex::kNews, std::move(untold));
  return all;
}

// The jobs whose explanation may have changed: jobs that changed themselves, jobs that are or were
// held back, and jobs whose explanation depends on the time. Sorts `cycle.held` and stores which
// jobs are held back for the next cycle.
std::vector<std::size_t> Engine::ToExplain(Cycle& cycle) {
  std::sort(cycle.held.begin(), cycle.held.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  QueueIndex::Places places;
  queue_index_->TakeExplanationsDue(state_.now, places);
  std::sort(places.begin(), places.end());
  QueueIndex::Places held;
  for (const auto& [index, hold] : cycle.held) held.push_back(index);
  for (const QueueIndex::Places* group :
       {&queue_index_->Of(QueueIndex::kNews), &queue_index_->Of(QueueIndex::kHeldBack),
        &std::as_const(held)}) {
    QueueIndex::Places both;
    both.reserve(places.size() + group->size());
    std::set_union(places.begin(), places.end(), group->begin(), group->end(),
                   std::back_inserter(both));
    places = std::move(both);
  }
  queue_index_->Set(QueueIndex::kHeldBack, std::move(held));
  return places;
}

const Explanation* Engine::Explain(core::JobId job) const {
  if (const LiveJob* live = state_.FindLive(job)) return &live->explanation;
  if (const LiveJob* held = state_.FindHeld(job)) return &held->explanation;
  const EndedJob* ended = state_.FindEnded(job);
  return ended ? &ended->explanation : nullptr;
}

}  // namespace ebb::engine
