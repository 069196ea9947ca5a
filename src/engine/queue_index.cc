#include "engine/queue_index.h"

#include <algorithm>
#include <numeric>

namespace ebb::engine {
namespace {

// If more than one job in this many changed, a rebuild is faster than single updates.
constexpr std::size_t kMostOneByOne = 8;

bool IsIn(QueueIndex::Group group, const State& state, std::size_t place) {
  const LiveJob& live = *state.live[place];
  switch (group) {
    case QueueIndex::kHolding:
      return HoldsDevices(live);
    case QueueIndex::kFreezable:
      return live.job.freeze;
    case QueueIndex::kControlled:
      return live.control != JobControl::kNone;
    case QueueIndex::kImpatient:
      return live.job.on_outage != core::OnOutage::kWait;
    case QueueIndex::kRetried:
      return live.retry_at != Time::min();
    case QueueIndex::kWanting:
      return state.schedule.jobs[place].run_now && !HoldsDevices(live);
    default:
      return false;
  }
}

constexpr std::array kFollowsState{QueueIndex::kHolding,    QueueIndex::kFreezable,
                                   QueueIndex::kControlled, QueueIndex::kImpatient,
                                   QueueIndex::kRetried,    QueueIndex::kWanting};

}  // namespace

// Goes in the order of ids, so that up to the current job, places are those of the state already.
void QueueIndex::Follow(const State& state, std::span<const core::JobId> touched) {
  if (!known_ || touched.size() > state.live.size() / kMostOneByOne + kMostOneByOne)
    return Rebuild(state);
  std::vector<core::JobId> jobs(touched.begin(), touched.end());
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  for (const core::JobId job : jobs) {
    const std::size_t place = FirstFrom(job);
    const bool was_there = place < ids_.size() && ids_[place] == job;
    const bool is_there = place < state.live.size() && state.live[place]->job.id == job;
    if (was_there && !is_there) Erase(place);
    if (is_there && !was_there) Insert(job, place);
    if (is_there) Refresh(state, place);
  }
}

void QueueIndex::Rebuild(const State& state) {
  known_ = true;
  ids_.clear();
  views_.clear();
  for (Places& group : groups_) group.clear();
  for (std::size_t place = 0; place < state.live.size(); ++place) {
    ids_.push_back(state.live[place]->job.id);
    views_.push_back(ViewOf(*state.live[place], state.cluster, state.now));
    for (const Group group : kFollowsState)
      if (IsIn(group, state, place)) groups_[group].push_back(place);
  }
  plan_due_.SetAll(ids_, [&](std::size_t place) { return state.schedule.jobs[place].wake_at; });
  explanation_due_.SetAll(ids_, [](std::size_t) { return Time::max(); });
  PutAll(kNews);
}

std::size_t QueueIndex::FirstFrom(core::JobId job) const {
  return static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), job) - ids_.begin());
}

void QueueIndex::Insert(core::JobId job, std::size_t place) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  ids_.insert(ids_.begin() + at, job);
  views_.insert(views_.begin() + at, plan::JobView{});
  plan_due_.Insert(place);
  explanation_due_.Insert(place);
  for (Places& group : groups_)
    for (auto it = group.rbegin(); it != group.rend() && *it >= place; ++it) ++*it;
}

void QueueIndex::Erase(std::size_t place) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  ids_.erase(ids_.begin() + at);
  views_.erase(views_.begin() + at);
  plan_due_.Erase(place);
  explanation_due_.Erase(place);
  for (std::size_t group = 0; group < kGroups; ++group)
    Put(static_cast<Group>(group), place, false);
  for (Places& group : groups_)
    for (auto it = group.rbegin(); it != group.rend() && *it > place; ++it) --*it;
}

void QueueIndex::Refresh(const State& state, std::size_t place) {
  views_[place] = ViewOf(*state.live[place], state.cluster, state.now);
  for (const Group group : kFollowsState) Put(group, place, IsIn(group, state, place));
  Put(kNews, place, true);
}

void QueueIndex::Put(Group group, std::size_t place, bool member) {
  Places& places = groups_[group];
  const auto at = std::lower_bound(places.begin(), places.end(), place);
  const bool is_member = at != places.end() && *at == place;
  if (member && !is_member) places.insert(at, place);
  if (!member && is_member) places.erase(at);
}

void QueueIndex::PutAll(Group group) {
  groups_[group].resize(ids_.size());
  std::iota(groups_[group].begin(), groups_[group].end(), std::size_t{0});
}

QueueIndex::Places QueueIndex::PlacesOf(std::span<const core::JobId> jobs) const {
  Places places;
  for (const core::JobId job : jobs) {
    const std::size_t place = FirstFrom(job);
    if (place < ids_.size() && ids_[place] == job) places.push_back(place);
  }
  return places;
}

void QueueIndex::Age(const State& state) {
  for (const std::size_t place : groups_[kHolding])
    views_[place].remaining = RemainingAt(*state.live[place], state.cluster, state.now);
}

void QueueIndex::FollowPlan(const State& state, std::size_t place) {
  Put(kWanting, place, IsIn(kWanting, state, place));
  Put(kNews, place, true);
  plan_due_.Set(ids_, place, state.schedule.jobs[place].wake_at);
}

void QueueIndex::FollowPlans(const State& state) {
  groups_[kWanting].clear();
  for (std::size_t place = 0; place < ids_.size(); ++place)
    if (IsIn(kWanting, state, place)) groups_[kWanting].push_back(place);
  plan_due_.SetAll(ids_, [&](std::size_t place) { return state.schedule.jobs[place].wake_at; });
  PutAll(kNews);
}

}  // namespace ebb::engine
