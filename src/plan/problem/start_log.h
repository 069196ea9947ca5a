#pragma once
// Records the power that starts switch on and when, for the limit on rising power: in no five
// minutes may starting jobs add more than the limit. A job that exceeds the limit alone may start
// by itself.

#include <algorithm>
#include <limits>
#include <vector>

#include "base/time.h"

namespace ebb::plan {

class StartLog {
 public:
  static constexpr Duration kSpan{std::chrono::minutes{5}};

  explicit StartLog(double limit_watts = std::numeric_limits<double>::infinity())
      : limit_watts_(limit_watts) {}

  bool limited() const { return limit_watts_ < std::numeric_limits<double>::infinity(); }

  void Add(Time begin, double watts) {
    if (limited()) starts_.insert(FirstNotBefore(begin), {begin, watts});
  }
  void Remove(Time begin, double watts) {
    if (!limited()) return;
    auto at = FirstNotBefore(begin);
    while (at->watts != watts) ++at;
    starts_.erase(at);
  }

  /// Errs on the safe side: counts the starts of five minutes before and after together.
  bool Allows(Time begin, double watts) const {
    if (!limited()) return true;
    double others = 0;
    for (auto at = FirstNotBefore(begin - kSpan + Duration{1});
         at != starts_.end() && at->begin < begin + kSpan; ++at)
      others += at->watts;
    return others == 0 || others + watts <= limit_watts_;
  }

  /// The moments at which an earlier start stops counting for the limit, in order.
  std::vector<Time> Eased(Interval within) const {
    std::vector<Time> times;
    for (const Start& start : starts_)
      if (within.contains(start.begin + kSpan)) times.push_back(start.begin + kSpan);
    return times;
  }

 private:
  struct Start {
    Time begin;
    double watts;
  };
  std::vector<Start>::const_iterator FirstNotBefore(Time time) const {
    return std::lower_bound(starts_.begin(), starts_.end(), time,
                            [](const Start& start, Time t) { return start.begin < t; });
  }

  double limit_watts_;
  std::vector<Start> starts_;  // starts by begin
};

}  // namespace ebb::plan
