#pragma once
// Explains why each job is where it is, and when it is expected to run. Private to the engine.

#include <optional>
#include <vector>

#include "engine/engine.h"

namespace ebb::engine {

/// Reason why a job that wants to run is held back, and its expected start.
struct Hold {
  core::GateRule rule = core::GateRule::kNoFreeDevice;
  std::optional<Time> expected_start;
};

/// The times at which the jobs at `blocked` are expected to get devices: a list schedule over the
/// expected ends of the jobs before them. `blocked` has indices into State::live, in the order in
/// which the jobs go; `holding` has all jobs that hold devices.
std::vector<Time> ExpectedStarts(const State& state, const std::vector<std::size_t>& holding,
                                 const std::vector<std::size_t>& blocked, Time now);

struct Explained {
  Explanation explanation;
  /// The explanation holds until this moment if job, plan and cluster do not change and nothing
  /// holds the job back.
  Time until = Time::max();
};

/// The explanation of live job `index` at `now`. `hold` says why the engine held the job back;
/// nullptr if it did not.
Explained ExplanationOf(const State& state, std::size_t index, const Hold* hold, Time now);

}  // namespace ebb::engine
