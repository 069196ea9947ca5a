#pragma once
// What a policy is asked when the whole plan is made beside the engine: everything it may look at,
// as of one moment, which nothing changes any more. The answer depends on nothing else, so it is
// the same wherever and whenever it is worked out.
//
// Thread contract: immutable; Answer from any thread.

#include <memory>
#include <optional>
#include <vector>

#include "engine/state.h"
#include "plan/policy.h"

namespace ebb::engine {

class PlanQuestion {
 public:
  /// About what is live in `state` now. `problem`: the one of this moment. `change`: what is new
  /// since the schedule in it was planned as a whole.
  PlanQuestion(const State& state, const plan::Problem& problem, plan::Change change);
  PlanQuestion(const PlanQuestion&) = delete;
  PlanQuestion& operator=(const PlanQuestion&) = delete;

  plan::Schedule Answer(const plan::Policy& policy) const;

  const plan::Change& change() const { return change_; }
  std::size_t jobs() const { return jobs_.size(); }

 private:
  Time now_;
  core::Cluster cluster_;
  std::vector<std::shared_ptr<const LiveJob>> lent_;
  std::vector<plan::JobView> jobs_;
  std::vector<core::SignalView> signals_;
  std::vector<plan::SiteView> sites_;
  std::optional<Time> closed_until_;
  plan::Schedule schedule_;
  plan::Change change_;
};

/// Adds what is new in `more`.
void Add(const plan::Change& more, plan::Change& change);
bool IsEmpty(const plan::Change& change);

}  // namespace ebb::engine
