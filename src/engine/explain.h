#pragma once
// Why each job is where it is, and when it is expected to run. Private to the engine.

#include <optional>
#include <vector>

#include "engine/engine.h"

namespace ebb::engine {

/// Why a job that wants to run is held back, and when it is expected to run all the same.
struct Hold {
  core::GateRule rule = core::GateRule::kNoFreeDevice;
  std::optional<Time> expected_start;
};

/// When the jobs at `blocked` (indices into State::live, in the order in which they go) are
/// expected to get devices: as a list schedule by the expected ends of those before them.
/// `holding`: all that hold devices.
std::vector<Time> ExpectedStarts(const State& state, const std::vector<std::size_t>& holding,
                                 const std::vector<std::size_t>& blocked, Time now);

struct Explained {
  Explanation explanation;
  /// Before this moment it stays so while neither job, plan nor cluster change and nothing holds
  /// the job back.
  Time until = Time::max();
};

/// The explanation of live job `index` at `now`; `hold` where the engine held it back.
Explained ExplanationOf(const State& state, std::size_t index, const Hold* hold, Time now);

}  // namespace ebb::engine
