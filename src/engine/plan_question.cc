#include "engine/plan_question.h"

#include <utility>

namespace ebb::engine {

PlanQuestion::PlanQuestion(const State& state, const plan::Problem& problem, plan::Change change)
    : now_(state.now),
      cluster_(state.cluster),
      sites_(problem.sites.begin(), problem.sites.end()),
      closed_until_(problem.closed_until),
      schedule_(state.schedule),
      change_(std::move(change)) {
  lent_.reserve(state.live.size());
  jobs_.reserve(state.live.size());
  for (const auto& live : state.live) {
    lent_.push_back(live.Lend());
    jobs_.push_back(ViewOf(*lent_.back(), cluster_, now_));
  }
  signals_.reserve(sites_.size());
  for (plan::SiteView& site : sites_) site.view = &signals_.emplace_back(*site.view);
}

plan::Schedule PlanQuestion::Answer(const plan::Policy& policy) const {
  plan::Schedule schedule = schedule_;
  policy.Update({now_, &cluster_, jobs_, sites_, closed_until_}, change_, schedule);
  return schedule;
}

void Add(const plan::Change& more, plan::Change& change) {
  change.signals = change.signals || more.signals;
  change.cluster = change.cluster || more.cluster;
  change.jobs.insert(change.jobs.end(), more.jobs.begin(), more.jobs.end());
}

bool IsEmpty(const plan::Change& change) {
  return !change.signals && !change.cluster && change.jobs.empty();
}

}  // namespace ebb::engine
