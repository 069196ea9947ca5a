#include "plan/planner/rented_search.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/planner/displacement.h"
#include "plan/planner/local_search.h"
#include "plan/planner/split_search.h"

namespace ebb::plan {
namespace {

// A job that finds no place in time goes first in another trial. There are more than three trials
// only while such jobs are few.
constexpr int kTrials = 3, kTrialsForFew = 8;
constexpr std::size_t kFew = 50;

PlanInput WithRents(const PlanInput& input, const Rents& rents) {
  PlanInput rented = input;
  rented.rents.clear();
  for (const auto& row : rents.by_pool)
    rented.rents.emplace_back(rents.begin, rents.step, row, 0.0);
  return rented;
}

// The same placements at the prices of another input.
Draft Repriced(const Draft& draft, const PlanInput& input) {
  Draft repriced(input);
  std::vector<std::pair<std::size_t, Placement>> placements;
  for (std::size_t i = 0; i < input.tasks.size(); ++i) {
    const Task& task = input.tasks[i];
    if (task.fixed || !draft.IsPlaced(i)) continue;
    Placement placement = draft.PlacementOf(i);
    placement.cost = input.CostOf(task, placement);
    placements.emplace_back(i, std::move(placement));
  }
  if (!repriced.PlaceAll(placements))
    for (auto& [index, placement] : placements) repriced.Place(index, std::move(placement));
  return repriced;
}

// The least device time that the task takes on any choice.
Duration LeastDeviceTime(const Task& task) {
  Duration least = Duration::max();
  for (const Choice& choice : task.choices) least = std::min(least, choice.length * choice.width);
  return least;
}

std::vector<std::size_t> LongestFirst(const PlanInput& input) {
  std::vector<std::tuple<bool, Duration, std::size_t>> keyed;
  for (std::size_t i = 0; i < input.tasks.size(); ++i) {
    const Task& task = input.tasks[i];
    if (!task.fixed && !task.choices.empty())
      keyed.emplace_back(!task.continues, -LeastDeviceTime(task), i);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> order;
  for (const auto& task : keyed) order.push_back(std::get<std::size_t>(task));
  return order;
}

// Places all tasks in order. Returns those that are in time in `draft` but late or without a place
// here.
std::vector<std::size_t> PlaceInOrder(const Draft& draft, const std::vector<std::size_t>& order,
                                      const SearchOptions& options, Draft& rented, Work& work) {
  std::vector<std::size_t> late;
  Displacement way(rented, options, work);
  for (const std::size_t index : order) {
    Placement placement = CheapestPlacement(rented, index, options, work);
    const bool was_late = !draft.IsPlaced(index) || draft.PlacementOf(index).cost.late > 0;
    if (!was_late && (placement.choice < 0 || placement.cost.late > 0)) {
      if (way.For(index)) continue;
      late.push_back(index);
    }
    if (placement.choice >= 0) rented.Place(index, std::move(placement));
  }
  return late;
}

}  // namespace

void PlaceUnderRents(Draft& draft, const Rents& rents, const SearchOptions& options, Work& work) {
  if (rents.by_pool.empty()) return;
  const PlanInput input = WithRents(draft.input(), rents);
  std::vector<std::size_t> order = LongestFirst(input);
  for (int trial = 0; trial < kTrialsForFew; ++trial) {
    Draft rented(input);
    const std::vector<std::size_t> late = PlaceInOrder(draft, order, options, rented, work);
    if (late.empty()) {
      Draft back = Repriced(rented, draft.input());
      if (Lower(back.Total(), draft.Total())) draft = std::move(back);
      return;
    }
    if (trial + 1 >= kTrials && late.size() > kFew) break;
    std::stable_partition(order.begin(), order.end(), [&](std::size_t index) {
      return std::find(late.begin(), late.end(), index) != late.end();
    });
  }
  Draft guided = Repriced(draft, input);
  MoveEach(guided, options, work);
  Draft back = Repriced(guided, draft.input());
  if (Lower(back.Total(), draft.Total())) draft = std::move(back);
}

}  // namespace ebb::plan
