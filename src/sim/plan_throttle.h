#pragma once
// Limits how often a long simulated queue is planned anew. A service plans as often as its machine
// can (service/planning/plan_thread.h). A simulation has a throttle, spread evenly over its time: a
// number of jobs planned as a whole, and a number placed beside the standing plan. So the work does
// not grow with the number of jobs, and results are the same on every machine. In between, the
// standing plan is followed. A new job waits for its place, or gets it at once if it cannot wait.
//
// Thread contract: the loop's thread only.

#include "runtime/executor.h"
#include "runtime/plan_worker.h"

namespace ebb::sim {

struct PlanThrottleOptions {
  Duration span{};                        ///< from the first to the last submission
  std::int64_t planned_jobs = 250'000;    ///< summed over all whole plans
  std::int64_t beside_jobs = 20'000'000;  ///< summed over all plans that were kept for new jobs
  /// Whole plans of more jobs take no longer, because their work has a limit
  /// (plan/planner/planner.h).
  std::size_t most_in_plan = 750;
};

class PlanThrottle final : public runtime::PlanWorker {
 public:
  /// Uses the executor's clock. The executor must outlive this object.
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
  std::size_t jobs_ = 0;                                   ///< live jobs at the last decision
  Time whole_at_ = Time::min(), beside_at_ = Time::min();  ///< times of the last plans
  bool new_waits_ = false;     ///< jobs that came since then have no place
  Time new_by_ = Time::max();  ///< and have to start by this time
  bool unplanned_ = false;     ///< something is in no whole plan yet
};

}  // namespace ebb::sim
