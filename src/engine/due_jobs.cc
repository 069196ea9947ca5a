#include "engine/due_jobs.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ebb::engine {
namespace {

// The queue is rebuilt if it has more than this many entries for each job.
constexpr std::size_t kMostStale = 8;

std::optional<std::size_t> PlaceOf(const DueJobs::Ids& ids, core::JobId job) {
  const auto at = std::lower_bound(ids.begin(), ids.end(), job);
  if (at == ids.end() || *at != job) return std::nullopt;
  return static_cast<std::size_t>(at - ids.begin());
}

}  // namespace

void DueJobs::Insert(std::size_t place) {
  at_.insert(at_.begin() + static_cast<std::ptrdiff_t>(place), Time::max());
}

void DueJobs::Erase(std::size_t place) {
  at_.erase(at_.begin() + static_cast<std::ptrdiff_t>(place));
}

void DueJobs::Set(const Ids& ids, std::size_t place, Time at) {
  if (std::exchange(at_[place], at) == at || at == Time::max()) return;
  queue_.emplace(at, ids[place]);
  if (queue_.size() > kMostStale * (ids.size() + kMostStale)) Refill(ids);
}

void DueJobs::Refill(const Ids& ids) {
  std::vector<Due> due;
  due.reserve(ids.size());
  for (std::size_t place = 0; place < ids.size(); ++place)
    if (at_[place] != Time::max()) due.emplace_back(at_[place], ids[place]);
  queue_ = decltype(queue_)(std::greater<>(), std::move(due));
}

Time DueJobs::Next(const Ids& ids) {
  for (; !queue_.empty(); queue_.pop()) {
    const auto place = PlaceOf(ids, queue_.top().second);
    if (place && at_[*place] == queue_.top().first) return queue_.top().first;
  }
  return Time::max();
}

void DueJobs::TakeDue(const Ids& ids, Time now, std::vector<std::size_t>& places) {
  while (Next(ids) <= now && !queue_.empty()) {
    const std::size_t place = *PlaceOf(ids, queue_.top().second);
    at_[place] = Time::max();
    places.push_back(place);
    queue_.pop();
  }
}

}  // namespace ebb::engine
