#include "plan/bound/plan_bound.h"

#include <algorithm>
#include <utility>

#include "core/jobs/widths.h"
#include "plan/bound/efficient_widths.h"

namespace ebb::plan {
namespace {

BoundChoice BoundChoiceOf(const PlanInput& input, const Task& task, const Choice& choice,
                          bool late) {
  BoundChoice bound{choice.pool,
                    choice.length,
                    choice.speed,
                    task.weight * choice.kilowatts,
                    choice.latest_end,
                    choice.curve,
                    {},
                    0,
                    false};
  bound.from_any_site = input.MayMove(task);
  bound.move = bound.from_any_site ? LeastMoveOn(*task.view->job, *input.cluster,
                                                 task.view->last_site, choice.pool, choice.width)
                                   : choice.move;
  bound.move.kilowatts_here *= task.weight;
  bound.move.kilowatts_from *= task.weight;
  if (late) bound.latest_end = input.CurveOf(choice).end();
  // A pause is not certain, so its cost is left out.
  if (task.continues) bound.length = std::min(bound.length, task.continued_length);
  return bound;
}

// One choice for each pool, and the widths that fit any of them. The first choice of a pool to
// which the job would move is the narrowest, whose move costs least.
void AddElastic(const Draft& draft, std::size_t index, BoundJob& job) {
  const Task& task = draft.input().tasks[index];
  int widest = 0;
  for (const Choice& choice : task.choices) {
    widest = std::max(widest, choice.width);
    const auto is_there = [&](const BoundChoice& other) { return other.pool == choice.pool; };
    if (std::ranges::any_of(job.choices, is_there)) continue;
    job.choices.push_back(
        BoundChoiceOf(draft.input(), task, choice, draft.PlacementOf(index).cost.late > 0));
    job.choices.back().kilowatts *= static_cast<double>(task.width) / choice.width;
  }
  std::vector<core::WidthSpeed> widths = core::WidthsOf(*task.view->job);
  std::erase_if(widths, [&](const core::WidthSpeed& width) { return width.devices > widest; });
  job.widths = EfficientWidths(widths);
}

BoundJob BoundJobOf(const Draft& draft, std::size_t index) {
  const PlanInput& input = draft.input();
  const Task& task = input.tasks[index];
  BoundJob job{
      std::max(input.now, input.opens), task.width, task.pausable, task.view->remaining, {}};
  if (task.elastic) AddElastic(draft, index, job);
  if (task.elastic) return job;
  for (const Choice& choice : task.choices)
    job.choices.push_back(
        BoundChoiceOf(input, task, choice, draft.PlacementOf(index).cost.late > 0));
  return job;
}

}  // namespace

BoundInput MakeBoundInput(const Draft& draft) {
  const PlanInput& input = draft.input();
  BoundInput bound;
  bound.curves = input.curves;
  bound.site_of_pool = input.site_of_pool;
  bound.devices_in_pool = input.devices_in_pool;
  for (std::size_t i = 0; i < input.tasks.size(); ++i) {
    if (!draft.IsPlaced(i)) continue;
    if (input.tasks[i].fixed) {
      const Placement& placed = draft.PlacementOf(i);
      bound.taken.push_back(
          {input.tasks[i].choices[0].pool, input.tasks[i].choices[0].width, placed.pieces.front()});
      bound.constant += placed.cost.price;
    } else {
      bound.jobs.push_back(BoundJobOf(draft, i));
    }
  }
  PriceMoves(bound);
  return bound;
}

}  // namespace ebb::plan
