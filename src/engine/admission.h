#pragma once
// Whether a job can be taken beside those that are there.

#include <deque>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace ebb::engine {

/// The queue that deadlines are held against, at a moment at which jobs may start. Once somebody
/// waits, what can be frozen runs on; what is being cancelled, or is among `without`, gives its
/// devices back. The state must outlive it.
struct QueueNow {
  QueueNow(const State& state, Time at, const std::vector<core::JobId>& without = {});
  QueueNow(const QueueNow&) = delete;
  QueueNow& operator=(const QueueNow&) = delete;

  std::vector<plan::JobView> views;
  std::deque<core::Job> running_on;
  plan::Problem problem;
};

/// Not while nobody knows when there are enough devices: a deadline is neither promised nor refused
/// then.
bool IsHeldAgainstQueue(const Options& options, const core::Job& job, const core::Cluster& cluster);

/// Whether a job whose deadline cannot be met could meet it with the devices that are away. As they
/// may come back at any time, it is taken.
bool IsForWantOfAway(const State& state, const core::Job& job, Time at,
                     const std::vector<core::JobId>& without = {});

/// A deadline that cannot be kept: with the drain that takes away the time, if one does.
Error WithDrain(Error error, const State& state);

/// Whether a JobSubmitted at this moment would be taken once the jobs `without` are cancelled.
/// Looks at the whole queue.
Status CheckAdmission(const State& state, const Options& options, const core::Job& job, Time at,
                      const std::vector<core::JobId>& without);

}  // namespace ebb::engine
