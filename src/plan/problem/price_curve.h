#pragma once
// What an hour of one kilowatt costs at one site, as a step function of time with equal steps, and
// its integral in constant time. The planner compares nothing else: grams, or grams and money
// blended, or grams made careful for uncertainty (slot_prices.h). Values only.

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace ebb::plan {

class PriceCurve {
 public:
  /// `prices` holds at least one value; the first is of [begin, begin + step). After the last the
  /// price is the mean of all: nothing is known to choose by.
  PriceCurve(Time begin, Duration step, std::vector<double> prices);
  /// The same with another price after the last.
  PriceCurve(Time begin, Duration step, std::vector<double> prices, double beyond);

  Time begin() const { return begin_; }
  Duration step() const { return step_; }
  std::size_t size() const { return prices_.size(); }
  Time EdgeAt(std::size_t index) const {
    return begin_ + step_ * static_cast<Duration::rep>(index);
  }
  Time end() const { return EdgeAt(size()); }
  double PriceOf(std::size_t step_index) const { return prices_[step_index]; }
  /// Price x hours from begin() to the step's begin; index <= size().
  double SumBefore(std::size_t step_index) const { return sums_[step_index]; }
  /// All of PriceOf and of SumBefore, for loops over many.
  const std::vector<double>& prices() const { return prices_; }
  const std::vector<double>& sums() const { return sums_; }

  /// Price x hours over [from, to); from >= begin().
  double Integral(Time from, Time to) const { return SumTo(to) - SumTo(from); }

 private:
  double SumTo(Time time) const;

  Time begin_;
  Duration step_;
  std::vector<double> prices_;
  std::vector<double> sums_;
  double beyond_ = 0;  ///< the price after the last
};

}  // namespace ebb::plan
