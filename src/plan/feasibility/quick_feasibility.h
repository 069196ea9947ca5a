#pragma once
// Says quickly, submission after submission, that deadlines can be met beside a queue that only
// grows. Enough, not necessary: in the order of latest begins, every job begins no later than when
// all devices it could use have done the work of those before it (Graham 1966, "Bounds for certain
// multiprocessing anomalies"). Built once from the whole queue; a question then costs a look at the
// jobs with later deadlines.
//
// It is about the jobs it was built from and those added since; when one of them starts, pauses or
// ends otherwise than by running on, it is built anew. Time that passes is taken into account, and
// only ever makes the answer more careful.

#include <vector>

#include "plan/policy.h"

namespace ebb::plan {

class QuickFeasibility {
 public:
  explicit QuickFeasibility(const Problem& queue);

  /// True: from `now` on, the job and all others surely keep their deadlines. False: not known.
  bool Holds(const core::Job& job, const core::Cluster& cluster, Time now) const;
  /// From now on the job is one of the queue, waiting.
  void Add(const core::Job& job, const core::Cluster& cluster, Time now);

 private:
  struct Item {
    double latest_begin = 0;  // hours since `origin_`; minus infinity: it runs
    double device_hours = 0;
    int devices = 0;  // of those it could use, so many that one of them is free for it
  };
  Item ItemOf(const Problem& queue, const JobView& view) const;
  Item ItemOf(const core::Job& job, const core::Cluster& cluster, Time now) const;
  static double Margin(const Item& item, double hours_before);
  std::size_t PlaceOf(const Item& item) const;
  double HoursOfAll() const;

  Time origin_;
  // Aligned, in the order of latest begins.
  std::vector<Item> items_;
  std::vector<double> before_;  // device hours of the items before this one
  std::vector<double> margin_;  // hours since the origin until which this one can be sure
  double least_margin_;         // of all
};

}  // namespace ebb::plan
