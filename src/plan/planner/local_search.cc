#include "plan/planner/local_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "plan/planner/chain_search.h"
#include "plan/planner/split_search.h"

namespace ebb::plan {
namespace {

constexpr std::size_t kMostRemoved = 6;
constexpr int kPasses = 3;
// Up to this many tasks, the search may accept a worse draft for a while, because a copy of the
// best one is cheap.
constexpr std::size_t kSmallQueue = 400;
// In a longer queue, a pass that gains less than this share of the price is the last: the next one
// would gain a twentieth of that or less, and take as long.
constexpr double kLeastGain = 1e-3;
// Taking a task out and putting it back moves the later pieces of its pool in memory.
constexpr std::size_t kPiecesPerPlace = 1024;

std::vector<std::size_t> Movable(const Draft& draft) {
  std::vector<std::size_t> movable;
  for (std::size_t i = 0; i < draft.input().tasks.size(); ++i)
    if (!draft.input().tasks[i].fixed && draft.IsPlaced(i)) movable.push_back(i);
  return movable;
}

// The cheapest placement of a task that has been taken out of its place `before`. Looks for nothing
// that costs as much as that, unless it is late or has to save enough.
Placement CheaperThan(const Placement& before, const Draft& draft, std::size_t task,
                      const SearchOptions& options, Work& work) {
  if (options.AsksForSaving() || before.cost.late > 0)
    return CheapestPlacement(draft, task, options, work);
  return CheapestWithin(draft, task, {draft.input().now, Time::max()}, work, before.cost);
}

// Moves one task to its cheapest place. Returns true if the draft got better.
bool MoveToCheapest(Draft& draft, std::size_t task, const SearchOptions& options, Work& work) {
  Placement before = draft.Remove(task);
  const Choice& left = draft.input().tasks[task].choices[before.ChoiceOf(0)];
  work.done +=
      static_cast<std::int64_t>(draft.ProfileOf(left.pool).pieces().size() / kPiecesPerPlace);
  Placement after = CheaperThan(before, draft, task, options, work);
  const bool better = after.choice >= 0 && Lower(after.cost, before.cost);
  if (!better) before.saving_too_small = after.saving_too_small;
  draft.Place(task, better ? std::move(after) : std::move(before));
  return better;
}

// The gain of a task per device-hour if it had the pools to itself.
double PotentialGain(const Draft& draft, const Draft& empty, std::size_t task,
                     const SearchOptions& options, Work& work) {
  const Placement& placed = draft.PlacementOf(task);
  const Placement alone = CheapestPlacement(empty, task, options, work);
  const Choice& choice = draft.input().tasks[task].choices[placed.ChoiceOf(0)];
  const double hours = Hours(placed.pieces.front().length()) * choice.width;
  return (placed.cost.price - alone.cost.price) / std::max(hours, 1e-9);
}

void SortByGain(const Draft& draft, const SearchOptions& options, Work& work,
                std::vector<std::size_t>& tasks) {
  std::vector<double> gain(draft.input().tasks.size());
  const Draft empty(draft.input());
  for (const std::size_t task : tasks)
    gain[task] = PotentialGain(draft, empty, task, options, work);
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](std::size_t a, std::size_t b) { return gain[a] > gain[b]; });
}

// Moves each task to its cheapest place, until the budget is spent. Returns true if another pass
// may be worth its time.
bool MoveOnce(Draft& draft, const std::vector<std::size_t>& tasks, const SearchOptions& options,
              Work& work, std::int64_t budget) {
  const Cost before = draft.Total();
  bool moved = false;
  for (const std::size_t task : tasks) {
    if (work.done >= budget) return false;
    moved = MoveToCheapest(draft, task, options, work) || moved;
  }
  if (tasks.size() <= kSmallQueue) return moved;
  const Cost after = draft.Total();
  return after.late < before.late ||
         after.price < before.price - kLeastGain * std::abs(before.price);
}

Duration Distance(const Placement& left, const Placement& right) {
  if (left.begin() >= right.end()) return left.begin() - right.end();
  if (right.begin() >= left.end()) return right.begin() - left.end();
  return Duration::zero();
}

class RuinAndRecreate {
 public:
  RuinAndRecreate(Draft& draft, const SearchOptions& options, Work& work)
      : draft_(draft), options_(options), work_(work), movable_(Movable(draft)) {}

  void Run(std::int64_t budget) {
    if (movable_.empty()) return;
    const bool small = movable_.size() <= kSmallQueue;
    Draft best = draft_;
    Cost current = draft_.Total(), best_cost = current;
    const std::int64_t start = work_.done;
    while (work_.done < budget) {
      const double left =
          static_cast<double>(budget - work_.done) / static_cast<double>(budget - start);
      const double tolerance = small ? 0.004 * left * left * best_cost.price : 0;
      if (!Step(tolerance)) continue;
      if (!small) continue;
      current = draft_.Total();
      if (Lower(current, best_cost)) {
        best_cost = current;
        best = draft_;
      }
    }
    if (small) draft_ = std::move(best);
  }

 private:
  // Takes some tasks out and puts them back. Undoes this unless the total stays below the
  // tolerance.
  bool Step(double tolerance) {
    work_.done += 16;
    PickTasks();
    std::vector<Placement> before;
    Cost old_cost, new_cost;
    for (const std::size_t task : picked_) {
      before.push_back(draft_.Remove(task));
      old_cost += before.back().cost;
    }
    ShuffleOrder();
    bool complete = true;
    std::size_t placed = 0;
    for (const std::size_t index : order_) {
      Placement placement = Cheapest(picked_[index]);
      if (placement.choice < 0) {
        complete = false;
        break;
      }
      new_cost += placement.cost;
      draft_.Place(picked_[index], std::move(placement));
      ++placed;
    }
    old_cost.price += tolerance;
    if (complete && Lower(new_cost, old_cost)) return true;
    for (std::size_t i = 0; i < placed; ++i) draft_.Remove(picked_[order_[i]]);
    for (std::size_t i = 0; i < picked_.size(); ++i) draft_.Place(picked_[i], std::move(before[i]));
    return false;
  }

  // Sometimes restricts a task to places before or after some moment, so that neighbours can share
  // a valley in whose middle the first task would sit. Sometimes keeps an elastic task narrow, so
  // that it leaves devices to others.
  Placement Cheapest(std::size_t task) {
    if (!options_.AsksForSaving() && random_.Below(3) == 0) {
      Placement placement = CheapestWithin(draft_, task, RandomPart(task), work_);
      if (placement.choice >= 0) return placement;
    }
    const auto& choices = draft_.input().tasks[task].choices;
    if (draft_.input().tasks[task].elastic && random_.Below(2) == 0) {
      work_.widest = choices[random_.Below(choices.size())].width;
      Placement placement = CheapestPlacement(draft_, task, options_, work_);
      work_.widest = std::numeric_limits<int>::max();
      if (placement.choice >= 0) return placement;
    }
    work_.stays = draft_.input().MayMove(draft_.input().tasks[task]) && random_.Below(4) != 0;
    Placement placement = CheapestPlacement(draft_, task, options_, work_);
    work_.stays = false;
    return placement;
  }

  Interval RandomPart(std::size_t task) {
    const Time now = draft_.input().now;
    const Time moment = RandomMoment(task);
    return random_.Below(3) == 0 ? Interval{now, moment} : Interval{moment, Time::max()};
  }

  // A moment at which another task begins or ends, or at which the price changes.
  Time RandomMoment(std::size_t task) {
    const PlanInput& input = draft_.input();
    const std::size_t other = movable_[random_.Below(movable_.size())];
    const std::uint64_t kind = random_.Below(3);
    if (kind < 2 && draft_.IsPlaced(other)) {
      const Placement& placed = draft_.PlacementOf(other);
      return std::max(input.now, input.GridCeil(kind == 0 ? placed.begin() : placed.end()));
    }
    const Choice& choice = input.tasks[task].choices.front();
    const PriceCurve& curve = input.CurveOf(choice);
    const Duration window = std::min(choice.latest_end, curve.end()) - curve.begin();
    const auto edges = std::max<Duration::rep>(1, window / curve.step());
    return std::max(input.now, curve.EdgeAt(random_.Below(static_cast<std::uint64_t>(edges))));
  }

  // Picks a random task and those that run nearest to it, or only random tasks.
  void PickTasks() {
    picked_.clear();
    const std::size_t most = std::min(kMostRemoved, movable_.size());
    const std::size_t count = 1 + random_.Below(most);
    const std::size_t seed = movable_[random_.Below(movable_.size())];
    picked_.push_back(seed);
    const bool near = random_.Below(3) != 0;
    for (std::size_t tries = 0; picked_.size() < count && tries < 4 * count; ++tries)
      AddTask(near ? NearTask(seed) : movable_[random_.Below(movable_.size())]);
  }

  // The task nearest in time among a few random ones.
  std::size_t NearTask(std::size_t seed) {
    std::size_t nearest = movable_[random_.Below(movable_.size())];
    for (int i = 0; i < 3; ++i) {
      const std::size_t other = movable_[random_.Below(movable_.size())];
      if (DistanceTo(seed, other) < DistanceTo(seed, nearest)) nearest = other;
    }
    return nearest;
  }

  Duration DistanceTo(std::size_t seed, std::size_t other) const {
    return Distance(draft_.PlacementOf(seed), draft_.PlacementOf(other));
  }

  void AddTask(std::size_t task) {
    if (std::find(picked_.begin(), picked_.end(), task) == picked_.end()) picked_.push_back(task);
  }

  void ShuffleOrder() {
    order_.resize(picked_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[random_.Below(i)]);
  }

  Draft& draft_;
  const SearchOptions& options_;
  Work& work_;
  std::vector<std::size_t> movable_;
  std::vector<std::size_t> picked_, order_;
  Random random_{1};
};

}  // namespace

void MoveEach(Draft& draft, const SearchOptions& options, Work& work, std::int64_t budget) {
  std::vector<std::size_t> movable = Movable(draft);
  if (movable.size() <= kSmallQueue) SortByGain(draft, options, work, movable);
  for (int pass = 0; pass < kPasses; ++pass)
    if (!MoveOnce(draft, movable, options, work, budget)) return;
}

void Improve(Draft& draft, const SearchOptions& options, std::int64_t budget, Work& work) {
  if (!options.AsksForSaving()) ImproveChains(draft, work.done + (budget - work.done) / 2, work);
  MoveEach(draft, options, work, budget);
  RuinAndRecreate(draft, options, work).Run(budget);
}

}  // namespace ebb::plan
