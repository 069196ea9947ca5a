#pragma once
// The next moment of each of many jobs, the earliest first. Private to the engine.

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/jobs/job.h"

namespace ebb::engine {

/// A queue of due times. The owner keeps an ascending list of ids, and a job is named by its place
/// in that list; the owner must call Insert and Erase when the list changes. Entries of the queue
/// that are out of date are dropped when their turn comes.
class DueJobs {
 public:
  using Ids = std::vector<core::JobId>;

  void Insert(std::size_t place);
  void Erase(std::size_t place);
  /// Sets when the job is due; Time::max(): never.
  void Set(const Ids& ids, std::size_t place, Time at);
  /// Sets the times of all jobs at once, from `at_of(place)`.
  template <typename AtOf>
  void SetAll(const Ids& ids, AtOf at_of) {
    at_.resize(ids.size());
    for (std::size_t place = 0; place < ids.size(); ++place) at_[place] = at_of(place);
    Refill(ids);
  }
  /// The earliest due time; Time::max() if no job is due.
  Time Next(const Ids& ids);
  /// Adds the places of all jobs that are due by `now`, in no order. These jobs are no longer due.
  void TakeDue(const Ids& ids, Time now, std::vector<std::size_t>& places);

 private:
  using Due = std::pair<Time, core::JobId>;

  void Refill(const Ids& ids);

  std::vector<Time> at_;  ///< due time of each place
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
};

}  // namespace ebb::engine
