#pragma once
// The question to a policy if the whole plan is made beside the engine. It holds everything that
// the policy may look at, as of one moment, and never changes. The answer depends on nothing else,
// so it is the same wherever and whenever it is worked out.
//
// Thread contract: immutable; Answer may run on any thread.

#include <memory>
#include <optional>
#include <vector>

#include "engine/state.h"
#include "plan/policy.h"

namespace ebb::engine {

class PlanQuestion {
 public:
  /// Asks about the live jobs in `state` now. `problem` is the problem of this moment; `change` has
  /// the changes since the last whole plan.
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

void Add(const plan::Change& more, plan::Change& change);
bool IsEmpty(const plan::Change& change);

}  // namespace ebb::engine
