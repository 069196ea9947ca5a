#pragma once
// Whether deadlines can be met beside a queue that only grows, one submission after the other. Each
// answer costs little however long the queue is: a sufficient condition first
// (quick_feasibility.h), then the room that is left when everything runs as soon as possible, then
// a proof that there is too much work (feasibility.h); only what these leave open looks at the
// whole queue again, and not for a job that asks for no less than one that was refused so before.
// Queues of up to some hundreds of jobs are searched as a whole (CheckDeadline).
//
// It is about the jobs it was made from and those added since; when one of them starts, pauses or
// ends, it is made anew.

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

  /// As CheckDeadline. `queue` gives the jobs that are there; it is asked where that cannot be
  /// avoided.
  Status Check(const core::Job& job, const core::Cluster& cluster, Time now,
               const std::function<Problem()>& queue);
  /// From now on the job, which has passed, is one of the queue, waiting.
  void Add(const core::Job& job, const core::Cluster& cluster, Time now);

 private:
  // Of the queue when everything runs as soon as possible, in the order of submission.
  struct Room {
    Time since{};
    Duration grid{};
    std::vector<CapacityProfile> profiles;
    std::vector<Load> loads;  // ordered
    double devices = 0;
    bool in_time = true;
    bool reordered = false;          // some are late so, and nobody is in another order
    std::vector<core::Job> refused;  // after a look at the whole queue
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
