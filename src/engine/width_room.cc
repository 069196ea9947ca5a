#include "engine/width_room.h"

#include "core/jobs/widths.h"

namespace ebb::engine {

bool WidthRoom::Take(const LiveJob& live, int width) {
  if (width <= live.width()) return true;
  if (free_.empty()) FindFree();
  int& free = free_[static_cast<std::size_t>(live.pool)];
  if (free < width - live.width()) return false;
  free -= width - live.width();
  return true;
}

bool WidthRoom::IsNeeded(const LiveJob& live, int width) {
  if (width >= live.width()) return false;
  if (planned_.empty()) FindPlanned();
  const auto pool = static_cast<std::size_t>(live.pool);
  return planned_[pool] + live.width() - width > state_.cluster.pools[pool].count;
}

void WidthRoom::FindFree() {
  free_ = FreeDevices(state_, index_.Of(QueueIndex::kHolding));
  for (const Placement& start : starts_)
    free_[static_cast<std::size_t>(start.pool)] -=
        core::WidthFrom(state_.live[start.index]->job, start.devices);
}

void WidthRoom::FindPlanned() {
  planned_.assign(state_.cluster.pools.size(), 0);
  for (const std::size_t place : index_.Of(QueueIndex::kHolding)) Plan(place);
  for (const std::size_t place : index_.Of(QueueIndex::kWanting)) Plan(place);
}

void WidthRoom::Plan(std::size_t place) {
  const plan::JobPlan& plan = state_.schedule.jobs[place];
  if (plan.run_now && plan.pool >= 0)
    planned_[static_cast<std::size_t>(plan.pool)] += WantedWidth(*state_.live[place], plan);
}

}  // namespace ebb::engine
