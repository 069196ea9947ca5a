#pragma once
// How often a long simulated queue is planned anew. A service plans as often as its machine can
// (service/planning/plan_thread.h); a simulation has a throttle, spread evenly over its time: so
// many jobs planned as a whole, so many placed beside the standing plan. So the work does not grow
// with the number of jobs, and results are the same on every machine. In between the standing plan
// is followed; what is new waits for its place, or gets it at once where it cannot wait.
//
// Thread contract: the loop's.

#include "runtime/executor.h"
#include "runtime/plan_worker.h"

namespace ebb::sim {

struct PlanThrottleOptions {
  Duration span{};                        ///< from the first to the last submission
  std::int64_t planned_jobs = 250'000;    ///< summed over all whole plans
  std::int64_t beside_jobs = 20'000'000;  ///< summed over all plans that were kept for new jobs
  /// A whole plan of more jobs takes no longer: its work has a limit (plan/planner/planner.h).
  std::size_t most_in_plan = 750;
};

class PlanThrottle final : public runtime::PlanWorker {
 public:
  /// The executor's clock counts. It must outlive this.
  PlanThrottle(const runtime::Executor& executor, const PlanThrottleOptions& options)
      : executor_(executor), options_(options) {}

  engine::Planning Choose(engine::Engine& engine) override;
  void OnDecided(const engine::Engine& engine) override;
  Time NextAt() const override;

 private:
  Time WholeDueAt() const;
  Time BesideDueAt() const;
  void AwaitPlaces(const engine::Engine& engine);

  const runtime::Executor& executor_;
  PlanThrottleOptions options_;
  std::size_t jobs_ = 0;                                   ///< live, at the last decision
  Time whole_at_ = Time::min(), beside_at_ = Time::min();  ///< last
  bool new_waits_ = false;                                 ///< what came since has no place
  Time new_by_ = Time::max();                              ///< and has to start by then
  bool unplanned_ = false;                                 ///< something no whole plan knows of
};

}  // namespace ebb::sim
