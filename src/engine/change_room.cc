#include "engine/change_room.h"

#include <algorithm>
#include <utility>

#include "core/jobs/widths.h"

namespace ebb::engine {

bool ChangeRoom::Take(const LiveJob& live, int width) {
  if (width <= live.width()) return true;
  if (free_.empty()) FindFree();
  int& free = free_[static_cast<std::size_t>(live.pool)];
  if (free < width - live.width()) return false;
  free -= width - live.width();
  return true;
}

void ChangeRoom::TakeMoves(std::vector<std::size_t> movers) {
  if (movers.empty()) return;
  if (free_.empty()) FindFree();
  const auto pool_of = [&](std::size_t place) {
    return static_cast<std::size_t>(state_.schedule.jobs[place].segments.front().pool);
  };
  // A mover that stays leaves nothing to others, so they are asked again.
  for (bool all_fit = false; !all_fit;) {
    std::vector<int> left = free_;
    for (const std::size_t place : movers) {
      const LiveJob& live = *state_.live[place];
      left[static_cast<std::size_t>(live.pool)] += live.width();
    }
    const std::size_t before = movers.size();
    std::erase_if(movers, [&](std::size_t place) {
      int& free = left[pool_of(place)];
      const int width = WantedWidth(*state_.live[place], state_.schedule.jobs[place]);
      if (free < width) return true;
      free -= width;
      return false;
    });
    all_fit = movers.size() == before;
  }
  for (const std::size_t place : movers)
    free_[pool_of(place)] -= WantedWidth(*state_.live[place], state_.schedule.jobs[place]);
  movers_ = std::move(movers);
}

bool ChangeRoom::HasMove(std::size_t place) const {
  return std::ranges::find(movers_, place) != movers_.end();
}

bool ChangeRoom::IsNeeded(const LiveJob& live, int width) {
  if (width >= live.width()) return false;
  if (planned_.empty()) FindPlanned();
  const auto pool = static_cast<std::size_t>(live.pool);
  return planned_[pool] + live.width() - width > state_.cluster.pools[pool].count;
}

void ChangeRoom::FindFree() {
  free_ = FreeDevices(state_, index_.Of(QueueIndex::kHolding));
  for (const Placement& start : starts_)
    free_[static_cast<std::size_t>(start.pool)] -=
        core::WidthFrom(state_.live[start.index]->job, start.devices);
}

void ChangeRoom::FindPlanned() {
  planned_.assign(state_.cluster.pools.size(), 0);
  for (const std::size_t place : index_.Of(QueueIndex::kHolding)) Plan(place);
  for (const std::size_t place : index_.Of(QueueIndex::kWanting)) Plan(place);
}

void ChangeRoom::Plan(std::size_t place) {
  const plan::JobPlan& plan = state_.schedule.jobs[place];
  if (plan.run_now && plan.pool >= 0)
    planned_[static_cast<std::size_t>(plan.pool)] += WantedWidth(*state_.live[place], plan);
}

}  // namespace ebb::engine
