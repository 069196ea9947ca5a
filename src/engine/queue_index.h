#pragma once
// An index of the queue, so that a cycle need not search the whole queue. It knows which live jobs
// hold devices or want them, which jobs a person controls, and when each plan or explanation comes
// due. All of it follows from the state. The engine keeps it from one cycle to the next and updates
// what changed, so that the cost of a cycle depends on the changes and not on the length of the
// queue. Private to the engine.
//
// Thread contract: the engine's.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/jobs/job.h"
#include "engine/due_jobs.h"
#include "engine/state.h"
#include "plan/policy.h"

namespace ebb::engine {

class QueueIndex {
 public:
  /// Indices into State::live, ascending.
  using Places = std::vector<std::size_t>;

  enum Group : std::size_t {
    kHolding,     ///< jobs that hold devices
    kFreezable,   ///< jobs with core::Job::freeze
    kControlled,  ///< jobs that a person holds, or has run now
    kImpatient,   ///< jobs that do not wait while their grid is unknown
    kRetried,     ///< jobs that failed to start and may have to wait before the next start
    kWanting,     ///< jobs without devices whose plan says run now
    kHeldBack,    ///< the kWanting jobs that got no devices; the cycle sets them
    kNews,        ///< jobs that changed since their last explanation
    kGroups
  };

  /// Makes the next Follow look at the whole state.
  void Forget() { known_ = false; }
  /// Updates the index for jobs that came, left or changed. A job may be named more than once.
  void Follow(const State& state, std::span<const core::JobId> touched);
  /// Updates the job at this place. No other place changes.
  void Refresh(const State& state, std::size_t place);
  /// Points to the job's new address; the job itself is the same.
  void Repoint(const State& state, std::size_t place) {
    views_[place].job = &state.live[place]->job;
  }

  const Places& Of(Group group) const { return groups_[group]; }
  void Put(Group group, std::size_t place, bool member);
  void Set(Group group, Places places) { groups_[group] = std::move(places); }
  void PutAll(Group group);
  /// Places of those `jobs` that are live, in the order in which they are named.
  Places PlacesOf(std::span<const core::JobId> jobs) const;

  /// Views in the order of State::live. The remaining work of running jobs is as of the last Age.
  std::span<const plan::JobView> views() const { return views_; }
  void Age(const State& state);

  /// Updates the index after a new plan for one job.
  void FollowPlan(const State& state, std::size_t place);
  /// Updates the index after new plans for all jobs.
  void FollowPlans(const State& state);
  Time NextPlanDue() { return plan_due_.Next(ids_); }
  void TakePlansDue(Time now, Places& places) { plan_due_.TakeDue(ids_, now, places); }
  /// Sets when the job is explained again if nothing else happens before.
  void ExplainAgainAt(std::size_t place, Time at) { explanation_due_.Set(ids_, place, at); }
  void TakeExplanationsDue(Time now, Places& places) {
    explanation_due_.TakeDue(ids_, now, places);
  }

 private:
  void Rebuild(const State& state);
  std::size_t FirstFrom(core::JobId job) const;
  void Insert(core::JobId job, std::size_t place);
  void Erase(std::size_t place);

  bool known_ = false;
  std::vector<core::JobId> ids_;      ///< ids in the order of State::live
  std::vector<plan::JobView> views_;  ///< views in the order of State::live
  std::array<Places, kGroups> groups_;
  DueJobs plan_due_, explanation_due_;
};

}  // namespace ebb::engine
