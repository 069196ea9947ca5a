#include "sim/queue_plan.h"

#include <algorithm>
#include <utility>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "engine/engine.h"
#include "sim/cost.h"

namespace ebb::sim {
namespace {

// The emissions by known and expected intensity; nothing if a part of the window has no value.
std::optional<Emissions> Expected(const core::EnergyPart& part, const QueuePlan& plan) {
  if (part.energy == Energy{}) return Emissions{};
  const auto mean = plan.views[static_cast<std::size_t>(part.site)].Mean(part.time);
  if (!mean || mean->coverage < 0.999) return std::nullopt;
  return EmissionsOf(part.energy, part.pue, mean->intensity);
}

std::optional<Emissions> Expected(const core::Job& job, const std::vector<plan::Segment>& segments,
                                  const QueuePlan& plan) {
  if (segments.empty()) return std::nullopt;
  Emissions sum;
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (const core::EnergyPart& part : EnergyOfSegment(job, plan.cluster, segments, i).parts()) {
      const auto grams = Expected(part, plan);
      if (!grams) return std::nullopt;
      sum += *grams;
    }
  return sum;
}

std::optional<Emissions> AtOnce(const core::Job& job, const QueuePlan& plan) {
  std::optional<Emissions> least;
  for (std::size_t index = 0; index < plan.cluster.pools.size(); ++index) {
    const int pool = static_cast<int>(index);
    if (!core::Fits(job, plan.cluster, pool)) continue;
    const Duration held = core::HeldOn(job, plan.cluster, -1, pool, job.duration);
    const auto grams = Expected(job, {{pool, {plan.at, plan.at + held}}}, plan);
    if (grams && (!least || *grams < *least)) least = grams;
  }
  return least;
}

Status Submit(engine::Engine& engine, QueuePlan& plan, const Scenario& scenario) {
  for (core::Job& job : JobsAt(scenario, plan.at)) {
    if (job.submitted > plan.at) {
      ++plan.not_submitted;
      continue;
    }
    PlannedJob planned;
    planned.job = job;
    if (const Status taken = engine.Apply({plan.at, engine::JobSubmitted{std::move(job)}}); !taken)
      planned.refused = taken.error().Message();
    plan.jobs.push_back(std::move(planned));
  }
  return {};
}

// Settles pools of jobs. Policies that look at one job at a time leave the device to the engine,
// which has chosen for jobs that start now. For other jobs the first pool that fits is taken.
void SettlePools(const core::Cluster& cluster, PlannedJob& planned) {
  int fitting = 0;
  while (!core::Fits(planned.job, cluster, fitting)) ++fitting;
  for (plan::Segment& segment : planned.segments)
    if (segment.pool < 0) segment.pool = fitting;
}

void TakeStart(const engine::StartJob& start, const QueuePlan& plan, PlannedJob& planned) {
  planned.starts_now = true;
  if (!planned.segments.empty() && planned.segments.front().pool == start.pool) return;
  const Duration held =
      core::HeldOn(planned.job, plan.cluster, -1, start.pool,
                   core::WidthFrom(planned.job, start.devices), planned.job.duration);
  planned.segments = {{start.pool, {plan.at, plan.at + held}, start.devices}};
}

// Reads the engine's decision for one job.
void Read(const engine::Engine& engine, const engine::Decision& decision, QueuePlan& plan,
          PlannedJob& planned) {
  if (const engine::Explanation* why = engine.Explain(planned.job.id))
    planned.reason = engine::Sentence(*why);
  const engine::State& state = engine.state();
  for (std::size_t i = 0; i < state.live.size(); ++i)
    if (state.live[i]->job.id == planned.job.id) planned.segments = state.schedule.jobs[i].segments;
  for (const engine::Command& command : decision.commands)
    if (const auto* start = std::get_if<engine::StartJob>(&command))
      if (start->job == planned.job.id) TakeStart(*start, plan, planned);
  SettlePools(plan.cluster, planned);
  planned.expected = Expected(planned.job, planned.segments, plan);
  planned.at_once = AtOnce(planned.job, plan);
}

// Sums up the jobs' emissions; nothing if those of one job are unknown.
void SumUp(QueuePlan& plan) {
  Emissions expected, at_once;
  for (const PlannedJob& job : plan.jobs) {
    if (!job.refused.empty()) continue;
    if (!job.expected || !job.at_once) return;
    expected += *job.expected;
    at_once += *job.at_once;
  }
  plan.expected = expected;
  plan.at_once = at_once;
}

void AddCost(QueuePlan& plan, const plan::SitePrices& prices) {
  plan.currency = CurrencyOf(prices);
  if (plan.currency.empty()) return;
  plan.cost.emplace();
  for (const PlannedJob& planned : plan.jobs)
    *plan.cost += CostOf(planned.job, planned.segments, plan.cluster, prices);
}

}  // namespace

Interval QueuePlan::span() const {
  Interval span{at, at};
  for (const PlannedJob& job : jobs)
    if (!job.segments.empty()) span.end = std::max(span.end, job.segments.back().time.end);
  return span;
}

Result<QueuePlan> PlanQueue(const Scenario& scenario, const PolicyChoice& policy, Time at,
                            std::vector<core::SignalView> views,
                            const std::vector<Time>& next_change) {
  QueuePlan plan;
  plan.at = at;
  plan.policy = policy.label;
  plan.cluster = scenario.cluster;
  plan.views = std::move(views);
  EBB_ASSIGN_OR_RETURN(auto decider, plan::MakePolicy(policy.policy, OptionsOf(scenario, policy)));
  engine::Options options;
  options.changes_widths = true;
  engine::Engine engine(options, std::move(decider));
  EBB_RETURN_IF_ERROR(engine.Apply({at, engine::ClusterChanged{scenario.cluster}}));
  for (std::size_t site = 0; site < plan.views.size(); ++site)
    EBB_RETURN_IF_ERROR(engine.Apply(
        {at, engine::SignalObserved{static_cast<int>(site), plan.views[site], next_change[site]}}));
  EBB_RETURN_IF_ERROR(Submit(engine, plan, scenario));
  const engine::Decision decision = engine.Decide(at);
  plan.lower_bound = engine.state().schedule.lower_bound;
  for (PlannedJob& planned : plan.jobs)
    if (planned.refused.empty()) Read(engine, decision, plan, planned);
  SumUp(plan);
  AddCost(plan, scenario.prices);
  return plan;
}

}  // namespace ebb::sim
