#pragma once
// How fast jobs get on: their progress now against their progress up to a minute ago.
//
// Thread contract: one thread.

#include <deque>
#include <map>

#include "cli/top/top_sample.h"

namespace ebb::cli {

class ProgressRates {
 public:
  /// Fills in `percent_per_hour` of the jobs whose program has reported progress in an earlier
  /// sample, too. `taken`: when the sample was taken, on a clock that nobody sets.
  void Follow(TopSample& sample, Duration taken);

 private:
  struct Point {
    Duration taken;
    double percent;
  };
  std::map<long long, std::deque<Point>> points_;  // by job, the oldest first
};

}  // namespace ebb::cli
