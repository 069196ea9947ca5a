#pragma once
// Quickly proves, submission after submission, that deadlines can be met beside a queue that only
// grows. The condition is sufficient, not necessary: in the order of latest begins, every job
// begins no later than when all devices it could use have done the work of the jobs before it
// (Graham 1966, "Bounds for certain multiprocessing anomalies"). The object is built once from the
// whole queue; a question then only looks at the jobs with later deadlines.
//
// It is about the jobs from which it was built and those added since. When one of them starts,
// pauses or ends earlier or later than its run time says, it must be built anew. The passing of
// time only makes the answers more careful.

#include <vector>

#include "plan/policy.h"

namespace ebb::plan {

class QuickFeasibility {
 public:
  explicit QuickFeasibility(const Problem& queue);

  /// True: from `now` on, the job and all others surely keep their deadlines. False: unknown.
  bool Holds(const core::Job& job, const core::Cluster& cluster, Time now) const;
  /// Adds the job to the queue as a waiting job.
  void Add(const core::Job& job, const core::Cluster& cluster, Time now);

 private:
  struct Item {
    double latest_begin = 0;  // hours since `origin_`; minus infinity if it runs
    double device_hours = 0;
    int devices = 0;  // devices of its pools, less width - 1 in each: as long as fewer are busy,
                      // the job fits
  };
  Item ItemOf(const Problem& queue, const JobView& view) const;
  Item ItemOf(const core::Job& job, const core::Cluster& cluster, Time now) const;
  static double Margin(const Item& item, double hours_before);
  std::size_t PlaceOf(const Item& item) const;
  double HoursOfAll() const;

  Time origin_;
  // The three vectors are aligned, in the order of latest begins.
  std::vector<Item> items_;
  std::vector<double> before_;  // device hours of the items before this one
  std::vector<double> margin_;  // hours since the origin until which the item surely begins in time
  double least_margin_;         // lowest margin of all items
};

}  // namespace ebb::plan
