#pragma once
// The port to where whole plans are worked out beside the loop, so that a long queue holds up
// neither starts nor submissions. What a decision does about planning is recorded with it
// (engine/decision.h), so a replay needs no such port. Without one every decision plans as a whole.
//
// Thread contract: that of the loop.

#include "base/time.h"
#include "engine/engine.h"

namespace ebb::runtime {

class PlanWorker {
 public:
  virtual ~PlanWorker() = default;
  /// How the next decision is to plan. Hands the engine the plan that it is to take up.
  virtual engine::Planning Choose(engine::Engine& engine) = 0;
  /// A decision was made: what it asks is worked on from now on.
  virtual void OnDecided(const engine::Engine& engine) = 0;
  /// When a decision is due for the sake of planning, by the executor's clock: Time::min(): now, a
  /// plan is there to be taken up.
  virtual Time NextAt() const = 0;
};

}  // namespace ebb::runtime
