#pragma once
// The lowest price of a curve within any window, in constant time, from a table of the lowest of
// 1, 2, 4, ... neighbouring steps. Private to the bound.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "plan/problem/price_curve.h"

namespace ebb::plan {

class LowestPrices {
 public:
  explicit LowestPrices(const PriceCurve& curve) : curve_(curve), rows_{curve.prices()} {
    for (std::size_t half = 1; 2 * half <= curve.size(); half *= 2) {
      const std::vector<double>& row = rows_.back();
      std::vector<double> next(curve.size() - 2 * half + 1);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = std::min(row[i], row[i + half]);
      rows_.push_back(std::move(next));
    }
  }

  /// The lowest price in the steps that the window touches; 0 if it touches none.
  double In(Interval window) const {
    const std::size_t first = StepsBefore(window.begin);
    const Time last = std::min(window.end, curve_.end()) - Duration{1};
    const std::size_t end = window.end <= curve_.begin() ? 1 : StepsBefore(last) + 1;
    if (first >= curve_.size() || end <= first) return 0;
    const std::size_t count = std::min(end, curve_.size()) - first;
    const auto level = static_cast<std::size_t>(std::bit_width(count)) - 1;
    const std::vector<double>& row = rows_[level];
    return std::min(row[first], row[first + count - (std::size_t{1} << level)]);
  }

 private:
  // The number of steps that end at or before `time`.
  std::size_t StepsBefore(Time time) const {
    return static_cast<std::size_t>(std::max(time - curve_.begin(), Duration::zero()) /
                                    curve_.step());
  }

  const PriceCurve& curve_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace ebb::plan
