#pragma once
// The price of an hour of running one task on one pool, per kilowatt: the price of its site plus,
// if the pool has them, the rent of its devices. Borrows the curves.

#include <cstddef>

#include "base/time.h"
#include "plan/problem/price_curve.h"

namespace ebb::plan {

class RunPrice {
 public:
  /// `rent` is per device-hour, with the steps of `price`; nullptr: none.
  RunPrice(const PriceCurve& price, const PriceCurve* rent, double devices_per_kilowatt)
      : price_(price), rent_(rent), factor_(devices_per_kilowatt) {}

  Time begin() const { return price_.begin(); }
  Duration step() const { return price_.step(); }
  std::size_t size() const { return price_.size(); }
  Time EdgeAt(std::size_t index) const { return price_.EdgeAt(index); }
  Time end() const { return price_.end(); }

  /// The rent, and the number by which it counts; nullptr: none.
  const PriceCurve* rent() const { return rent_; }
  double factor() const { return factor_; }

  double PriceOf(std::size_t step) const {
    return rent_ ? price_.PriceOf(step) + factor_ * rent_->PriceOf(step) : price_.PriceOf(step);
  }
  /// Price x hours from begin() to the step's begin.
  double SumBefore(std::size_t step) const {
    return rent_ ? price_.SumBefore(step) + factor_ * rent_->SumBefore(step)
                 : price_.SumBefore(step);
  }
  /// Price x hours over [from, to); from >= begin().
  double Integral(Time from, Time to) const {
    const double price = price_.Integral(from, to);
    return rent_ ? price + factor_ * rent_->Integral(from, to) : price;
  }

 private:
  const PriceCurve& price_;
  const PriceCurve* rent_;
  double factor_;
};

}  // namespace ebb::plan
