#include "plan/planner/displacement.h"

#include <algorithm>
#include <utility>

#include "plan/planner/split_search.h"

namespace ebb::plan {
namespace {

constexpr int kMostAsked = 4;

}  // namespace

Displacement::Displacement(Draft& draft, const SearchOptions& options, Work& work)
    : draft_(draft), options_(options), work_(work) {
  const auto& tasks = draft.input().tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!tasks[i].fixed && !tasks[i].continues) loosest_first_.push_back(i);
  std::stable_sort(loosest_first_.begin(), loosest_first_.end(),
                   [&](std::size_t left, std::size_t right) {
                     return tasks[left].LatestBegin() > tasks[right].LatestBegin();
                   });
}

bool Displacement::For(std::size_t urgent) {
  const auto& tasks = draft_.input().tasks;
  int asked = 0;
  for (const std::size_t other : loosest_first_) {
    if (tasks[other].LatestBegin() <= tasks[urgent].LatestBegin() || asked == kMostAsked) break;
    if (!IsInTheWay(other, urgent)) continue;
    if (TakePlaceOf(other, urgent)) return true;
    ++asked;
  }
  return false;
}

// True if the urgent task could use the place of `other`.
bool Displacement::IsInTheWay(std::size_t other, std::size_t urgent) const {
  if (!draft_.IsPlaced(other)) return false;
  const Task& task = draft_.input().tasks[urgent];
  const Task& owner = draft_.input().tasks[other];
  const Placement& placed = draft_.PlacementOf(other);
  const Choice& taken = owner.choices[placed.ChoiceOf(0)];
  return std::any_of(task.choices.begin(), task.choices.end(), [&](const Choice& choice) {
    return choice.pool == taken.pool && taken.width >= choice.width &&
           placed.pieces.front().length() >= choice.length &&
           placed.begin() <= choice.LatestBegin();
  });
}

bool Displacement::TakePlaceOf(std::size_t other, std::size_t urgent) {
  Placement before = draft_.Remove(other);
  Placement taken = CheapestPlacement(draft_, urgent, options_, work_);
  if (taken.choice >= 0 && taken.cost.late == 0) {
    draft_.Place(urgent, std::move(taken));
    Placement after = CheapestPlacement(draft_, other, options_, work_);
    if (after.choice >= 0 && after.cost.late <= before.cost.late) {
      draft_.Place(other, std::move(after));
      return true;
    }
    draft_.Remove(urgent);
  }
  draft_.Place(other, std::move(before));
  return false;
}

}  // namespace ebb::plan
