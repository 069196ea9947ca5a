#pragma once
// The next moment of each of many jobs, the earliest first. Private to the engine.

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/job.h"

namespace ebb::engine {

/// Jobs are named by their place in a list of ids, ascending, that the owner keeps; Insert and
/// Erase follow it. What is in the queue and does not hold any more is dropped when its turn comes.
class DueJobs {
 public:
  using Ids = std::vector<core::JobId>;

  void Insert(std::size_t place);
  void Erase(std::size_t place);
  /// Time::max(): never.
  void Set(const Ids& ids, std::size_t place, Time at);
  /// For all at once: `at_of(place)`.
  template <typename AtOf>
  void SetAll(const Ids& ids, AtOf at_of) {
    at_.resize(ids.size());
    for (std::size_t place = 0; place < ids.size(); ++place) at_[place] = at_of(place);
    Refill(ids);
  }
  /// Time::max(): none.
  Time Next(const Ids& ids);
  /// Adds the places of all that are due by `now`, in no order; they are due no more.
  void TakeDue(const Ids& ids, Time now, std::vector<std::size_t>& places);

 private:
  using Due = std::pair<Time, core::JobId>;

  void Refill(const Ids& ids);

  std::vector<Time> at_;  ///< by place
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
};

}  // namespace ebb::engine
