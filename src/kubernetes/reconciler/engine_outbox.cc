#include "kubernetes/reconciler/engine_outbox.h"

#include <algorithm>
#include <utility>

namespace ebb::kubernetes {

bool EngineOutbox::HasReportsOf(core::JobId job) const {
  return std::ranges::count(reports_, job, &engine::JobReport::job) > 0;
}

std::vector<engine::Event> EngineOutbox::TakeEvents(Time now) {
  for (engine::Event& event : events_) event.at = std::min(event.at, now);
  return std::exchange(events_, {});
}

std::vector<engine::JobReport> EngineOutbox::TakeReports() {
  if (!events_.empty()) return {};
  return std::exchange(reports_, {});
}

}  // namespace ebb::kubernetes
