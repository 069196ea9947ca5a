#pragma once
// The port of a worker that makes whole plans in the background, so that a long queue delays
// neither starts nor submissions. A decision records its kind of planning (engine/decision.h), so a
// replay needs no worker. Without a worker every decision makes a whole plan.
//
// Thread contract: all methods are called on the loop's thread.

#include "base/time.h"
#include "engine/engine.h"

namespace ebb::runtime {

class PlanWorker {
 public:
  virtual ~PlanWorker() = default;
  /// Returns the kind of planning of the next decision. Gives the engine a finished plan, if that
  /// decision is to adopt one.
  virtual engine::Planning Choose(engine::Engine& engine) = 0;
  /// Notes that a decision was made. The worker starts on the plan that the decision asks for.
  virtual void OnDecided(const engine::Engine& engine) = 0;
  /// The time, by the executor's clock, at which a decision is due because of planning. Time::min()
  /// means now: a plan is ready.
  virtual Time NextAt() const = 0;
};

}  // namespace ebb::runtime
