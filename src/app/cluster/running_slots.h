#pragma once
// The jobs that run in a cluster, and slots for them: which devices their pods really have is
// unknown, so a running job takes as many slots of its pool as it has devices, the lowest free
// ones.
//
// Values.

#include <map>
#include <set>

#include "base/time.h"
#include "engine/event.h"
#include "local/job_executor.h"

namespace ebb::app {

class RunningSlots {
 public:
  struct Running {
    local::SupervisedFigures figures;  ///< job, attempt, pool and slots
    Time began{};
  };

  /// `width`: number of devices of the attempt.
  void Follow(const engine::JobReport& report, int width);
  const std::map<core::JobId, Running>& all() const { return running_; }

 private:
  std::map<core::JobId, Running> running_;
  std::map<int, std::set<int>> taken_;  // slots, by pool
};

}  // namespace ebb::app
