#pragma once
// The price of an hour of one kilowatt at one site, as a step function of time with equal steps,
// and its integral in constant time. The planner compares nothing else: grams, or grams and money
// blended, or grams adjusted for uncertainty (slot_prices.h). Values only.

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace ebb::plan {

class PriceCurve {
 public:
  /// `prices` must have at least one value; the first is for [begin, begin + step). After the last,
  /// the price is the mean of all, because nothing is known by which to choose.
  PriceCurve(Time begin, Duration step, std::vector<double> prices);
  /// A curve with another price after the last.
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
  /// All values of PriceOf and of SumBefore, for loops over many.
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
  double beyond_ = 0;  ///< price after the last step
};

}  // namespace ebb::plan
