#include "engine/explain.h"

#include <algorithm>
#include <queue>

#include "core/jobs/move.h"
#include "plan/deadline.h"

namespace ebb::engine {
namespace {

using core::GateRule;

// Blocked jobs beyond this number get the expected start of the last job that was computed.
constexpr std::size_t kForecastLimit = 64;
// An expected time that has passed moves on in steps of this size, so that it does not change with
// every decision.
constexpr Duration kStep = std::chrono::minutes{15};

Time NextStep(Time now) { return std::chrono::floor<std::chrono::minutes>(now) + kStep; }

// The devices of one pool as they become free, for jobs taken strictly in order.
class PoolQueue {
 public:
  explicit PoolQueue(int free) : free_(free) {}
  void AddEnd(Time end, int devices) { ends_.emplace(end, devices); }
  Time StartNext(int devices, Duration takes, Time now) {
    reached_ = std::max(reached_, now);
    while (free_ < devices && !ends_.empty()) {
      reached_ = std::max(reached_, ends_.top().first);
      free_ += ends_.top().second;
      ends_.pop();
    }
    free_ -= devices;
    AddEnd(reached_ + takes, devices);
    return reached_;
  }

 private:
  using End = std::pair<Time, int>;
  int free_;
  Time reached_ = Time::min();
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

int PoolFor(const State& state, std::size_t index) {
  const plan::JobPlan& plan = state.schedule.jobs[index];
  if (plan.pool >= 0) return plan.pool;
  if (!plan.segments.empty() && plan.segments.front().pool >= 0) return plan.segments.front().pool;
  for (int pool = 0; pool < static_cast<int>(state.cluster.pools.size()); ++pool)
    if (core::Fits(state.live[index]->job, state.cluster, pool)) return pool;
  return -1;
}

std::vector<PoolQueue> QueuesNow(const State& state, const std::vector<std::size_t>& holding,
                                 Time now) {
  std::vector<PoolQueue> queues;
  for (const int free : FreeDevices(state, holding)) queues.emplace_back(free);
  for (const std::size_t index : holding) {
    const LiveJob& live = *state.live[index];
    queues[static_cast<std::size_t>(live.pool)].AddEnd(
        ExpectedEnd(live, state.cluster, now).value_or(NextStep(now)), live.width());
  }
  return queues;
}

// The moment just after `time`, if `time` has not passed: until then the explanation stays the
// same.
Time AfterIt(const std::optional<Time>& time, Time now) {
  return time && *time >= now ? *time + Duration{1} : Time::max();
}

void ExplainRunning(const LiveJob& live, const plan::JobPlan& plan, const core::Cluster& cluster,
                    Time now, Explained& explained) {
  Explanation& explanation = explained.explanation;
  explanation.pool = live.pool;
  explanation.reason.start = live.segment_begin;
  explanation.reason.end = ExpectedEnd(live, cluster, now);
  if (explanation.reason.end) explained.until = *explanation.reason.end;
  // The plan may want a pause when it is too early to pause.
  if (!plan.run_now && live.stage == Stage::kRunning) explanation.reason.rule = GateRule::kRunning;
}

void ExplainWaiting(const LiveJob& live, const plan::JobPlan& plan, Time now,
                    Explained& explained) {
  Explanation& explanation = explained.explanation;
  if (plan.segments.empty()) {
    explanation.reason.start = explanation.reason.latest;
    return;
  }
  const plan::Segment& next = plan.segments.front();
  explanation.pool = IsFrozen(live) ? live.pool : plan.pool >= 0 ? plan.pool : next.pool;
  explanation.reason.start = next.time.begin;
  explanation.reason.end = plan.segments.back().time.end;
  if (next.time.begin < now) {  // the job should run by now, but something keeps it from running
    const auto& before = live.explanation.reason.start;
    explanation.reason.start = before && *before >= now ? *before : NextStep(now);
    explanation.reason.end = *explanation.reason.start + next.time.length();
  }
  explained.until = std::min(explained.until, AfterIt(explanation.reason.start, now));
}

// Explains a drain, which overrides the plan. The expected start is unknown if the drain has no
// end.
void ExplainDrain(const Drain& drain, Time now, Explanation& explanation) {
  core::Reason& reason = explanation.reason;
  reason.rule = GateRule::kDraining;
  explanation.drain = drain;
  const Time opens = drain.until.value_or(now);
  if (reason.start && *reason.start < opens) {
    if (reason.end) *reason.end += opens - *reason.start;
    reason.start = opens;
  }
  const bool was_late = reason.latest && *reason.latest < drain.since;
  explanation.misses_deadline = reason.latest && !was_late &&
                                *reason.latest < (drain.until ? reason.start.value_or(opens) : now);
  if (!drain.until) reason.start = reason.end = std::nullopt;
}

}  // namespace

std::vector<Time> ExpectedStarts(const State& state, const std::vector<std::size_t>& holding,
                                 const std::vector<std::size_t>& blocked, Time now) {
  std::vector<Time> starts;
  starts.reserve(blocked.size());
  if (blocked.empty()) return starts;
  std::vector<PoolQueue> queues = QueuesNow(state, holding, now);
  for (const std::size_t index : blocked) {
    const int pool = PoolFor(state, index);
    const LiveJob& live = *state.live[index];
    const bool never = pool < 0 || !core::Fits(live.job, state.cluster, pool);
    if (starts.size() >= kForecastLimit || never) {
      starts.push_back(starts.empty() ? NextStep(now) : starts.back());
      continue;
    }
    const auto at = static_cast<std::size_t>(pool);
    const int devices = WantedWidth(live, state.schedule.jobs[index]);
    const Duration takes = HeldOn(live, state.cluster, pool, devices);
    const Time start = queues[at].StartNext(devices, takes, now);
    starts.push_back(start > now ? start : NextStep(now));
  }
  return starts;
}

Explained ExplanationOf(const State& state, std::size_t index, const Hold* hold, Time now) {
  const LiveJob& live = *state.live[index];
  const plan::JobPlan& plan = state.schedule.jobs[index];
  Explained explained;
  Explanation& explanation = explained.explanation;
  explanation.job = live.job.id;
  explanation.stage = live.stage;
  explanation.reason.rule = plan.reason.rule;
  explanation.reason.current = plan.reason.current;
  explanation.reason.expected = plan.reason.expected;
  explanation.reason.threshold = plan.reason.threshold;
  if (HoldsDevices(live.stage)) {
    ExplainRunning(live, plan, state.cluster, now, explained);
    return explained;
  }
  const Time latest = plan::LatestStart(ViewOf(live, state.cluster, now), state.cluster, now);
  if (latest != Time::max()) explanation.reason.latest = latest;
  explained.until = AfterIt(explanation.reason.latest, now);
  ExplainWaiting(live, plan, now, explained);
  if (state.drain) ExplainDrain(*state.drain, now, explanation);
  if (hold) {
    explanation.reason.rule = hold->rule;
    explanation.reason.start = hold->expected_start;
    if (hold->expected_start && !plan.segments.empty())
      explanation.reason.end = *hold->expected_start + plan.segments.front().time.length();
  }
  return explained;
}

}  // namespace ebb::engine
