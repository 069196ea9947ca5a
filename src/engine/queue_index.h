#pragma once
// What a cycle would otherwise look for in the whole queue: which of the live jobs hold devices or
// want them, which a person controls, whose plan or explanation comes due when. All of
// it follows from the state. It is kept from one cycle to the next and follows what has changed, so
// that a cycle costs what is new and not what is there. Private to the engine.
//
// Thread contract: the engine's.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/job.h"
#include "engine/due_jobs.h"
#include "engine/state.h"
#include "plan/policy.h"

namespace ebb::engine {

class QueueIndex {
 public:
  /// Into State::live, ascending.
  using Places = std::vector<std::size_t>;

  enum Group : std::size_t {
    kHolding,     ///< hold devices
    kFreezable,   ///< core::Job::freeze
    kControlled,  ///< a person holds them, or has them run now
    kImpatient,   ///< do not wait while their grid is unknown
    kRetried,     ///< have failed to start, and may be kept from starting for a while
    kWanting,     ///< are to run by their plan, and hold no devices
    kHeldBack,    ///< of those, to be set by the cycle: the ones that got none
    kNews,        ///< to be explained: something of them has changed since they last were
    kGroups
  };

  /// The next Follow looks at the whole state.
  void Forget() { known_ = false; }
  /// Follows what came, left or changed. Jobs may be named more than once.
  void Follow(const State& state, std::span<const core::JobId> touched);
  /// The job at this place has changed, which changes no other place.
  void Refresh(const State& state, std::size_t place);
  /// It lies somewhere else now, and is the same.
  void Repoint(const State& state, std::size_t place) {
    views_[place].job = &state.live[place]->job;
  }

  const Places& Of(Group group) const { return groups_[group]; }
  void Put(Group group, std::size_t place, bool member);
  void Set(Group group, Places places) { groups_[group] = std::move(places); }
  void PutAll(Group group);
  /// Of those that are live, as they are named.
  Places PlacesOf(std::span<const core::JobId> jobs) const;

  /// Aligned with State::live. What is left of running jobs is as of the last Age.
  std::span<const plan::JobView> views() const { return views_; }
  void Age(const State& state);

  /// A plan was written anew.
  void FollowPlan(const State& state, std::size_t place);
  /// Every plan was.
  void FollowPlans(const State& state);
  Time NextPlanDue() { return plan_due_.Next(ids_); }
  void TakePlansDue(Time now, Places& places) { plan_due_.TakeDue(ids_, now, places); }
  /// Until then the explanation stays as it is, if nothing else happens.
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
  std::vector<core::JobId> ids_;      ///< as State::live
  std::vector<plan::JobView> views_;  ///< as State::live
  std::array<Places, kGroups> groups_;
  DueJobs plan_due_, explanation_due_;
};

}  // namespace ebb::engine
