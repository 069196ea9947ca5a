#pragma once
// Checks if deadlines can be met beside a queue that only grows, one submission after the other.
// Each answer costs little however long the queue is. The check tries a sufficient condition first
// (quick_feasibility.h), then the room that is left if everything runs as soon as possible, then a
// proof that there is too much work (feasibility.h). Only the remaining cases look at the whole
// queue again, and not for a job that asks for no less than one that was refused before. Queues of
// up to some hundreds of jobs are searched as a whole (CheckDeadline).
//
// The check is about the jobs from which it was made and those added since. When one of them
// starts, pauses or ends, it must be made anew.

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/feasibility/flat_queue.h"
#include "plan/feasibility/quick_feasibility.h"
#include "plan/policy.h"
#include "plan/problem/capacity_profile.h"

namespace ebb::plan {

class DeadlineCheck {
 public:
  explicit DeadlineCheck(const Problem& queue);

  /// Like CheckDeadline. `queue` gives the jobs in the queue; it is called only if the check needs
  /// them.
  Status Check(const core::Job& job, const core::Cluster& cluster, Time now,
               const std::function<Problem()>& queue);
  /// Adds the job, which has passed the check, to the queue as a waiting job.
  void Add(const core::Job& job, const core::Cluster& cluster, Time now);

 private:
  // The room in the queue if everything runs as soon as possible, in the order of submission.
  struct Room {
    Time since{};
    Duration grid{};
    std::vector<CapacityProfile> profiles;
    std::vector<Load> loads;  // in order
    double devices = 0;
    bool in_time = true;
    bool reordered = false;          // some jobs are late in this order, and none is late in
                                     // another order
    std::vector<core::Job> refused;  // jobs refused after a look at the whole queue
  };
  static Room MakeRoom(const Problem& queue);
  bool IsOverfullWith(const Task& task, Time now) const;
  bool AsksForNoLess(const core::Job& job) const;
  bool FitsIfOthersMove(const core::Job& job, const Problem& queue);

  QuickFeasibility quick_check_;
  std::size_t jobs_ = 0;
  std::optional<Room> room_;
};

}  // namespace ebb::plan
