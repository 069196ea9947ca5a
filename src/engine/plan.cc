// Gets the plan for a decision: makes it now, follows the standing one, asks for a new one, or
// takes that one up.

#include <algorithm>
#include <utility>

#include "engine/apply.h"
#include "engine/engine.h"
#include "engine/queue_index.h"

namespace ebb::engine {

void Engine::Plan(Planning planning, const std::vector<plan::SiteView>& sites) {
  plan::Problem problem{state_.now, &state_.cluster, queue_index_->views(), sites};
  if (state_.drain) problem.closed_until = OpensAt(state_, state_.now);
  if (planning == Planning::kTake && question_) TakePlanUp();
  const bool due = !IsEmpty(change_) || state_.schedule.wake_at <= state_.now ||
                   (planning == Planning::kPlace && !IsEmpty(unplanned_));
  // A standing plan to follow exists only if the policy makes plans beside it.
  const bool beside = planning != Planning::kWhole && policy_->places_beside();
  if (due || !beside) queue_index_->Age(state_);
  if (beside && due) {
    Add(change_, unplanned_);
    // A new drain moves every plan that begins before the drain ends.
    const bool stands = !state_.drain || !change_.cluster;
    planning == Planning::kFollow&& stands ? PlanEach(problem) : PlaceBeside(problem);
  } else if (!beside && (due || !IsEmpty(unplanned_))) {
    Add(unplanned_, change_);
    const bool everything = change_.signals || change_.cluster || !policy_->plans_each();
    everything ? PlanWhole(problem) : PlanEach(problem);
    unplanned_ = {};
    question_.reset();
  }
  change_ = {};
  if (planning != Planning::kAsk || IsEmpty(unplanned_)) return;
  question_ = std::make_shared<const PlanQuestion>(state_, problem, std::exchange(unplanned_, {}));
  answer_.reset();
}

void Engine::PlanWhole(const plan::Problem& problem) {
  policy_->Update(problem, change_, state_.schedule);
  queue_index_->FollowPlans(state_);
}

void Engine::PlaceBeside(const plan::Problem& problem) {
  policy_->PlaceBeside(problem, change_, state_.schedule);
  queue_index_->FollowPlans(state_);
}

// Plans only the jobs that changed and those whose plan comes due: for policies that plan each job
// alone, and for cycles that follow a standing plan.
void Engine::PlanEach(const plan::Problem& problem) {
  QueueIndex::Places places = queue_index_->PlacesOf(change_.jobs);
  queue_index_->TakePlansDue(state_.now, places);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  policy_->PlanEach(problem, places, state_.schedule);
  for (const std::size_t place : places) queue_index_->FollowPlan(state_, place);
  state_.schedule.wake_at = queue_index_->NextPlanDue();
}

void Engine::TakeAnswer(const PlanQuestion& question, plan::Schedule answer) {
  if (&question == question_.get()) answer_ = std::move(answer);
}

// Takes up the answer for jobs that have not changed since the question. Newer jobs are placed
// beside them afterwards, and changed jobs keep their standing plans.
void Engine::TakePlanUp() {
  const std::shared_ptr<const PlanQuestion> question = std::exchange(question_, nullptr);
  std::optional<plan::Schedule> answer = std::exchange(answer_, std::nullopt);
  if (unplanned_.cluster || change_.cluster) {
    Add(question->change(), unplanned_);  // the answer is about pools that have changed since
    return;
  }
  if (!answer) answer = question->Answer(*policy_);
  std::vector<core::JobId> changed = unplanned_.jobs;
  changed.insert(changed.end(), change_.jobs.begin(), change_.jobs.end());
  std::sort(changed.begin(), changed.end());
  auto next = answer->jobs.begin();
  for (std::size_t i = 0; i < state_.live.size(); ++i) {
    const core::JobId id = state_.live[i]->job.id;
    while (next != answer->jobs.end() && next->job < id) ++next;
    if (next == answer->jobs.end() || next->job != id) continue;
    if (!std::binary_search(changed.begin(), changed.end(), id))
      state_.schedule.jobs[i] = std::move(*next);
  }
  state_.schedule.rents = std::move(answer->rents);
  state_.schedule.wake_at = state_.now;  // a plan that came due since the question is due now
}

plan::Change Engine::unplanned() const {
  plan::Change unplanned = unplanned_;
  if (question_) Add(question_->change(), unplanned);
  return unplanned;
}

}  // namespace ebb::engine
