#include "plan/planner/construct.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "plan/planner/displacement.h"
#include "plan/planner/split_search.h"
#include "plan/problem/piece_work.h"

namespace ebb::plan {
namespace {

using Sequence = std::vector<std::size_t>;

// Running jobs go first in every order: they hold their devices already.
template <typename Key>
Sequence SortedBy(const PlanInput& input, Key key) {
  using Keyed =
      std::tuple<bool, decltype(key(input.tasks.front())), Time, core::JobId, std::size_t>;
  std::vector<Keyed> keyed;
  keyed.reserve(input.tasks.size());
  for (const Task& task : input.tasks)
    keyed.emplace_back(!task.continues, key(task), task.view->job->submitted, task.view->job->id,
                       keyed.size());
  std::sort(keyed.begin(), keyed.end());
  Sequence order;
  order.reserve(keyed.size());
  for (const Keyed& task : keyed) order.push_back(std::get<std::size_t>(task));
  return order;
}

Draft ListSchedule(const PlanInput& input, const Sequence& order, Work& work) {
  Draft draft(input);
  for (const std::size_t task : order) {
    if (draft.IsPlaced(task)) continue;
    Placement placement = EarliestWindow(draft, task, input.now, work);
    if (placement.choice >= 0) draft.Place(task, std::move(placement));
  }
  return draft;
}

// The index of the choice with the pool and the width of a segment; -1 if the task has it no more.
int ChoiceFor(const Task& task, const Segment& segment) {
  const int width = segment.devices > 0 ? segment.devices : task.width;
  for (std::size_t i = 0; i < task.choices.size(); ++i)
    if (task.choices[i].pool == segment.pool && task.choices[i].width == width)
      return static_cast<int>(i);
  return -1;
}

std::optional<Placement> Kept(const PlanInput& input, std::size_t index, const JobPlan& plan) {
  const Task& task = input.tasks[index];
  if (plan.segments.empty()) return std::nullopt;
  Placement placement;
  const Time first = task.continues ? input.now : std::max(input.now, input.opens);
  std::vector<int> choices;
  for (const Segment& segment : plan.segments) {
    const Time begin = std::max(segment.time.begin, first);
    if (segment.time.end <= begin) continue;
    placement.pieces.push_back({begin, segment.time.end});
    choices.push_back(ChoiceFor(task, segment));
  }
  if (placement.pieces.empty()) {
    placement.pieces.push_back({first, first});
    choices.push_back(ChoiceFor(task, plan.segments.back()));
  }
  if (std::ranges::count(choices, -1) > 0) return std::nullopt;
  placement.choice = choices.front();
  if (std::ranges::count(choices, choices.front()) < std::ssize(choices))
    placement.choices = std::move(choices);
  return placement;
}

// Running time that the pieces must have in all: each piece except the first adds a resume.
Duration NeededLength(const PlanInput& input, const Task& task, const Placement& placement) {
  const bool goes_on = task.continues && placement.choice == 0 && placement.begin() == input.now;
  const Duration first = goes_on ? task.continued_length
                                 : task.choices[static_cast<std::size_t>(placement.choice)].length;
  return first +
         task.view->job->pause_cost * static_cast<Duration::rep>(placement.pieces.size() - 1);
}

// Adjusts the pieces to the remaining work. The last one takes the difference, so that a job that
// starts a moment late or runs a little slower keeps its place.
bool FitLength(const PlanInput& input, const Task& task, Placement& placement) {
  Interval& last = placement.pieces.back();
  if (placement.choices.empty()) {
    Duration length{};
    for (const Interval& piece : placement.pieces) length += piece.length();
    last.end += NeededLength(input, task, placement) - length;
  } else if (!FitLastPiece(input, task, placement)) {
    return false;
  }
  const std::size_t pieces = placement.pieces.size();
  if (pieces == 1) return last.length() >= Duration{1};
  const Duration moves = input.MoveOf(task, placement, pieces - 1).takes;
  return last.length() >= moves + std::max(task.view->job->minimum_segment, Duration{1});
}

void PlaceWhatFits(Draft& draft, std::vector<std::pair<std::size_t, Placement>>& kept,
                   std::vector<std::size_t>& homeless) {
  for (auto& [index, placement] : kept) {
    if (draft.HasRoom(index, placement))
      draft.Place(index, std::move(placement));
    else
      homeless.push_back(index);
  }
}

void ByLatestBegin(const PlanInput& input, Sequence& tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [&](std::size_t left, std::size_t right) {
    return input.tasks[left].LatestBegin() < input.tasks[right].LatestBegin();
  });
}

// Places tasks where the schedule has them, as far as they still fit. Returns the tasks without a
// place, those that have to begin first in front.
Sequence PlaceKept(Draft& draft, const Schedule& schedule) {
  const PlanInput& input = draft.input();
  std::vector<std::pair<std::size_t, Placement>> kept;
  Sequence homeless;
  for (const std::size_t index : SortedBy(input, [](const Task&) { return 0; })) {
    if (draft.IsPlaced(index)) continue;
    const Task& task = input.tasks[index];
    auto placement = KeptPlacement(input, index, schedule.jobs[index]);
    if (!placement) {
      homeless.push_back(index);
      continue;
    }
    placement->cost = input.CostOf(task, *placement);
    kept.emplace_back(index, std::move(*placement));
  }
  if (!draft.PlaceAll(kept)) PlaceWhatFits(draft, kept, homeless);
  ByLatestBegin(input, homeless);
  return homeless;
}

void PlaceHomeless(Draft& draft, const Sequence& homeless, const SearchOptions& options,
                   Work& work) {
  for (const std::size_t index : homeless) {
    Placement placement = CheapestPlacement(draft, index, options, work);
    if (placement.choice >= 0) draft.Place(index, std::move(placement));
  }
}

// Late jobs take the places of jobs that can wait longer.
void PutInTime(Draft& draft, const Sequence& tasks, const SearchOptions& options, Work& work) {
  std::optional<Displacement> way;
  for (const std::size_t index : tasks) {
    if (!draft.IsPlaced(index) || draft.PlacementOf(index).cost.late == 0) continue;
    if (!way) way.emplace(draft, options, work);
    Placement late = draft.Remove(index);
    if (!way->For(index)) draft.Place(index, std::move(late));
  }
}

// Waiting jobs that could begin later than the urgent one and are in its way.
Sequence WhatCouldMakeWay(const Draft& draft, std::size_t urgent) {
  const auto& tasks = draft.input().tasks;
  const Time by = tasks[urgent].LatestBegin();
  Sequence others;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i == urgent || tasks[i].fixed || tasks[i].continues || !draft.IsPlaced(i)) continue;
    const Placement& placement = draft.PlacementOf(i);
    const Choice& choice = tasks[i].choices[static_cast<std::size_t>(placement.choice)];
    const bool in_the_way = std::any_of(
        tasks[urgent].choices.begin(), tasks[urgent].choices.end(), [&](const Choice& own) {
          return own.pool == choice.pool && placement.begin() < own.latest_end;
        });
    if (in_the_way && tasks[i].LatestBegin() > by) others.push_back(i);
  }
  return others;
}

// Puts an urgent job in time: jobs that can wait longer are placed anew after it.
void MakeWay(Draft& draft, std::size_t urgent, const SearchOptions& options, Work& work) {
  Sequence others = WhatCouldMakeWay(draft, urgent);
  if (draft.IsPlaced(urgent)) draft.Remove(urgent);
  for (const std::size_t index : others) draft.Remove(index);
  ByLatestBegin(draft.input(), others);
  others.insert(others.begin(), urgent);
  PlaceHomeless(draft, others, options, work);
}

}  // namespace

bool IsInTime(const Draft& draft) {
  const auto& tasks = draft.input().tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!tasks[i].fixed && draft.PlacementOf(i).cost.late > 0) return false;
  return true;
}

Draft PlaceInOrderOfSubmission(const PlanInput& input, Work& work) {
  return ListSchedule(input, SortedBy(input, [](const Task&) { return 0; }), work);
}

Draft PlaceAsSoonAsPossible(const PlanInput& input, Work& work) {
  Draft best = PlaceInOrderOfSubmission(input, work);
  const auto by_deadline = [](const Task& task) {
    return std::tuple(task.deadline_is_soft, task.LatestBegin());
  };
  const auto wide_first = [](const Task& task) {
    return std::tuple(task.deadline_is_soft, -task.width, task.LatestBegin());
  };
  const auto keep_if_less_late = [&](const Sequence& order) {
    Draft other = ListSchedule(input, order, work);
    if (other.Total().late < best.Total().late) best = std::move(other);
  };
  if (best.Total().late > 0) keep_if_less_late(SortedBy(input, by_deadline));
  if (best.Total().late > 0) keep_if_less_late(SortedBy(input, wide_first));
  return best;
}

std::optional<Placement> KeptPlacement(const PlanInput& input, std::size_t index,
                                       const JobPlan& plan) {
  auto placement = Kept(input, index, plan);
  if (!placement || !FitLength(input, input.tasks[index], *placement)) return std::nullopt;
  return placement;
}

Draft KeepSchedule(const PlanInput& input, const Schedule& schedule, const SearchOptions& options,
                   Work& work) {
  Draft draft(input);
  const Sequence homeless = PlaceKept(draft, schedule);
  PlaceHomeless(draft, homeless, options, work);
  PutInTime(draft, homeless, options, work);
  return draft;
}

KeptSchedule KeepScheduleQuickly(const PlanInput& input, const Schedule& schedule,
                                 const SearchOptions& options, std::size_t most_new,
                                 std::int64_t most_work, Work& work) {
  Draft draft(input);
  Sequence homeless = PlaceKept(draft, schedule);
  const bool was_in_time = IsInTime(draft);
  const auto waiting =
      std::stable_partition(homeless.begin(), homeless.end(),
                            [&](std::size_t index) { return input.tasks[index].continues; });
  if (static_cast<std::size_t>(homeless.end() - waiting) > most_new)
    homeless.erase(waiting + static_cast<std::ptrdiff_t>(most_new), homeless.end());
  PlaceHomeless(draft, homeless, options, work);
  const std::int64_t enough = work.done + most_work;
  for (const std::size_t index : homeless)
    if (draft.PlacementOf(index).cost.late > 0 && work.done < enough)
      MakeWay(draft, index, options, work);
  const bool loses_deadlines = was_in_time && !IsInTime(draft);
  return {std::move(draft), loses_deadlines};
}

}  // namespace ebb::plan
