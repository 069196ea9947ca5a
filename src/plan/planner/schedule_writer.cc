#include "plan/planner/schedule_writer.h"

#include <algorithm>
#include <utility>

#include "core/signal/one_value.h"
#include "plan/deadline.h"

namespace ebb::plan {
namespace {

using core::GateRule;

const core::SignalView* ViewOf(const Problem& problem, int pool) {
  const auto site =
      static_cast<std::size_t>(problem.cluster->pools[static_cast<std::size_t>(pool)].site);
  return site < problem.sites.size() ? problem.sites[site].view : nullptr;
}

std::optional<Intensity> CurrentAt(const Problem& problem, int pool) {
  const core::SignalView* view = ViewOf(problem, pool);
  const core::Sample* sample = view ? view->Current() : nullptr;
  if (!sample) return std::nullopt;
  return sample->intensity;
}

bool SignalMissing(const Problem& problem, int pool) {
  const auto site =
      static_cast<std::size_t>(problem.cluster->pools[static_cast<std::size_t>(pool)].site);
  return site < problem.sites.size() && NothingKnown(problem.sites[site]);
}

bool HoursUnknown(const Problem& problem, int pool) {
  const core::SignalView* view = ViewOf(problem, pool);
  return view && view->Current() && !core::KnowsHours(*view);
}

// The mean by energy, which is that by time unless pieces differ in width or site.
std::optional<Intensity> ExpectedOver(const Problem& problem, const Task& task,
                                      const Placement& placement) {
  double weighted = 0, energy = 0;
  for (std::size_t i = 0; i < placement.pieces.size(); ++i) {
    const Choice& choice = task.choices[placement.ChoiceOf(i)];
    const core::SignalView* view = ViewOf(problem, choice.pool);
    const Interval& piece = placement.pieces[i];
    const auto mean = view ? view->Mean(piece) : std::nullopt;
    if (!mean) continue;
    const double power = choice.watts > 0 ? choice.watts : choice.width;
    const double part = mean->coverage * Hours(piece.length()) * power;
    weighted += mean->intensity.g_per_kwh * part;
    energy += part;
  }
  if (energy <= 0) return std::nullopt;
  return Intensity{weighted / energy};
}

GateRule RuleFor(const Problem& problem, const Task& task, const Placement& placement,
                 bool heeds_money) {
  const Choice& choice = task.choices[static_cast<std::size_t>(placement.choice)];
  const bool now = placement.begin() <= problem.now;
  // Another width is a pause and a start.
  const bool goes_on = !task.elastic || placement.ChoiceOf(0) == 0;
  if (now && task.view->state == JobState::kRunning && goes_on) return GateRule::kRunning;
  if (now && choice.LatestBegin() <= problem.now) return GateRule::kCompulsory;
  if (now && placement.saving_too_small) return GateRule::kSavingTooSmall;
  if (now && !heeds_money && HoursUnknown(problem, choice.pool)) return GateRule::kHoursUnknown;
  if (!now && SignalMissing(problem, choice.pool)) return GateRule::kSignalMissing;
  if (!now && task.view->state != JobState::kWaiting) return GateRule::kPausedForCleaner;
  return GateRule::kPlanned;
}

// The next time at which the job starts, pauses or ends.
Time NextEdge(const Placement& placement, Time now) {
  for (const Interval& piece : placement.pieces)
    for (const Time edge : {piece.begin, piece.end})
      if (edge > now) return edge;
  return Time::max();
}

}  // namespace

JobPlan PlanOf(const Problem& problem, const Task& task, const Placement& placement,
               const Heeded& heeded) {
  JobPlan plan;
  plan.job = task.view->job->id;
  plan.order = {0, task.view->job->submitted};
  if (heeded.thresholds) plan.reason.threshold = task.view->job->threshold;
  if (placement.choice < 0) {
    // If some pool could hold the job, the next whole plan finds its place.
    plan.reason.rule = task.choices.empty() ? GateRule::kNoFreeDevice : GateRule::kPlanned;
    return plan;
  }
  const Choice& choice = task.choices[static_cast<std::size_t>(placement.choice)];
  plan.pool = choice.pool;
  if (task.elastic) plan.devices = choice.width;
  plan.run_now = placement.begin() <= problem.now;
  for (std::size_t i = 0; i < placement.pieces.size(); ++i)
    plan.segments.push_back({task.choices[placement.ChoiceOf(i)].pool, placement.pieces[i],
                             task.elastic ? task.choices[placement.ChoiceOf(i)].width : 0});
  plan.reason.rule = RuleFor(problem, task, placement, heeded.money);
  plan.order.rank = plan.reason.rule == GateRule::kCompulsory ? 0 : 1;
  plan.reason.current = CurrentAt(problem, choice.pool);
  plan.reason.expected = ExpectedOver(problem, task, placement);
  plan.wake_at = NextEdge(placement, problem.now);
  return plan;
}

void WriteSchedule(const Problem& problem, const Draft& draft, bool heeds_money,
                   Schedule& schedule) {
  const auto& tasks = draft.input().tasks;
  schedule.jobs.clear();
  schedule.jobs.reserve(tasks.size());
  schedule.wake_at = Time::max();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    schedule.jobs.push_back(PlanOf(problem, tasks[i], draft.PlacementOf(i),
                                   {draft.input().has_preferences, heeds_money}));
    schedule.wake_at = std::min(schedule.wake_at, schedule.jobs.back().wake_at);
  }
  schedule.expected = Emissions{draft.PlainPrice()};
}

}  // namespace ebb::plan
