#pragma once
// Admission: decides if the engine can take a new job beside the jobs that it has.

#include <deque>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace ebb::engine {

/// The queue against which the engine checks a deadline, at a moment at which jobs may start.
/// Freezable jobs that run count as running on, because a frozen job runs on once another job
/// waits. Jobs that are being cancelled and the jobs in `without` give their devices back. The
/// state must outlive this object.
struct QueueNow {
  QueueNow(const State& state, Time at, const std::vector<core::JobId>& without = {});
  QueueNow(const QueueNow&) = delete;
  QueueNow& operator=(const QueueNow&) = delete;

  std::vector<plan::JobView> views;
  std::deque<core::Job> running_on;
  plan::Problem problem;
};

/// True if the engine checks the job's deadline against the queue. False while it is unknown when
/// there will be enough devices: the engine then neither promises nor refuses the deadline.
bool IsHeldAgainstQueue(const Options& options, const core::Job& job, const core::Cluster& cluster);

/// True if the devices that are away now would let the job meet its deadline. The engine takes such
/// a job, because the devices may come back at any time.
bool IsForWantOfAway(const State& state, const core::Job& job, Time at,
                     const std::vector<core::JobId>& without = {});

/// The error about a deadline that cannot be kept. If a drain takes the time away, the error also
/// names the drain.
Error WithDrain(Error error, const State& state);

/// Checks if a JobSubmitted at this moment would be taken once the jobs `without` are cancelled.
/// Looks at the whole queue.
Status CheckAdmission(const State& state, const Options& options, const core::Job& job, Time at,
                      const std::vector<core::JobId>& without);

}  // namespace ebb::engine
