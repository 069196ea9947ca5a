#include "app/cluster/running_slots.h"

#include <iterator>
#include <utility>

namespace ebb::app {

using engine::JobPhase;

void RunningSlots::Follow(const engine::JobReport& report, int width) {
  if (const auto known = running_.find(report.job); known != running_.end()) {
    const local::SupervisedFigures& before = known->second.figures;
    if (report.phase == JobPhase::kRunning && before.attempt == report.attempt &&
        std::ssize(before.slots) == width)
      return;
    for (const int slot : before.slots) taken_[before.pool].erase(slot);
    running_.erase(known);
  }
  if (report.phase != JobPhase::kRunning) return;
  Running running;
  running.began = report.since;
  local::SupervisedFigures& figures = running.figures;
  figures.job = report.job;
  figures.attempt = report.attempt;
  figures.pool = report.pool;
  std::set<int>& taken = taken_[report.pool];
  for (int slot = 0; std::ssize(figures.slots) < width; ++slot)
    if (taken.insert(slot).second) figures.slots.push_back(slot);
  running_.emplace(report.job, std::move(running));
}

}  // namespace ebb::app
