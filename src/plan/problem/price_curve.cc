#include "plan/problem/price_curve.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ebb::plan {

PriceCurve::PriceCurve(Time begin, Duration step, std::vector<double> prices)
    : begin_(begin), step_(step), prices_(std::move(prices)) {
  EBB_CHECK(!prices_.empty() && step_ > Duration::zero());
  sums_.reserve(prices_.size() + 1);
  sums_.push_back(0);
  for (const double price : prices_) sums_.push_back(sums_.back() + price * Hours(step_));
  beyond_ = sums_.back() / (Hours(step_) * static_cast<double>(prices_.size()));
}

PriceCurve::PriceCurve(Time begin, Duration step, std::vector<double> prices, double beyond)
    : PriceCurve(begin, step, std::move(prices)) {
  beyond_ = beyond;
}

double PriceCurve::SumTo(Time time) const {
  if (time >= end()) return sums_.back() + beyond_ * Hours(time - end());
  const Duration since = std::max(time - begin_, Duration::zero());
  const auto index = static_cast<std::size_t>(since / step_);
  const Duration part = since - step_ * static_cast<Duration::rep>(index);
  return sums_[index] + prices_[index] * Hours(part);
}

}  // namespace ebb::plan
