#include "plan/planner/quick_start.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/planner/split_search.h"

namespace ebb::plan {
namespace {

constexpr std::size_t kMostAsked = 64;
constexpr std::int64_t kMostWork = 300'000;

// A job that gains by running now, or loses nothing.
struct Candidate {
  double gain_per_device_hour = 0;
  Time planned{};
  std::size_t task = 0;
  bool operator<(const Candidate& other) const {
    return std::tuple(-gain_per_device_hour, planned, task) <
           std::tuple(-other.gain_per_device_hour, other.planned, other.task);
  }
};

int FreeNow(const Draft& draft, int pool) {
  const CapacityProfile& profile = draft.ProfileOf(pool);
  return profile.pieces()[profile.PieceAt(draft.input().now)].free;
}

// The gain of running in one piece from now on, on the cheapest choice with free devices.
std::optional<Candidate> AskNow(const Draft& draft, std::size_t index,
                                const std::vector<int>& free) {
  const PlanInput& input = draft.input();
  const Task& task = input.tasks[index];
  const Placement& planned = draft.PlacementOf(index);
  std::optional<Candidate> best;
  for (const Choice& choice : task.choices) {
    if (free[static_cast<std::size_t>(choice.pool)] < choice.width) continue;
    const Cost now = input.CostOf(task, choice, {{input.now, input.now + choice.length}});
    if (Lower(planned.cost, now)) continue;
    const double gain = planned.cost.late > now.late ? std::numeric_limits<double>::infinity()
                                                     : (planned.cost.price - now.price) /
                                                           (Hours(choice.length) * choice.width);
    if (!best || gain > best->gain_per_device_hour) best = {gain, planned.begin(), index};
  }
  return best;
}

std::vector<Candidate> Candidates(const Draft& draft, const std::vector<int>& free) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < draft.input().tasks.size(); ++i) {
    const Task& task = draft.input().tasks[i];
    if (task.fixed || task.continues || !draft.IsPlaced(i)) continue;
    if (draft.PlacementOf(i).begin() <= draft.input().now) continue;
    if (const auto candidate = AskNow(draft, i, free)) candidates.push_back(*candidate);
  }
  const auto asked = std::min(candidates.size(), kMostAsked);
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(asked),
                    candidates.end());
  candidates.resize(asked);
  return candidates;
}

}  // namespace

void StartWhatGains(Draft& draft, const SearchOptions& options, Work& work) {
  std::vector<int> free;
  for (int pool = 0; pool < static_cast<int>(draft.input().devices_in_pool.size()); ++pool)
    free.push_back(FreeNow(draft, pool));
  const auto any = [&] {
    return std::any_of(free.begin(), free.end(), [](int devices) { return devices > 0; });
  };
  if (!any()) return;
  const std::int64_t limit = work.done + kMostWork;
  for (const Candidate& candidate : Candidates(draft, free)) {
    if (work.done >= limit || !any()) return;
    Placement planned = draft.Remove(candidate.task);
    Placement place = CheapestPlacement(draft, candidate.task, options, work);
    const bool better = place.choice >= 0 && !Lower(planned.cost, place.cost) &&
                        (place.begin() < planned.begin() || Lower(place.cost, planned.cost));
    draft.Place(candidate.task, better ? std::move(place) : std::move(planned));
    for (std::size_t pool = 0; pool < free.size(); ++pool)
      free[pool] = FreeNow(draft, static_cast<int>(pool));
  }
}

}  // namespace ebb::plan
