#pragma once
// Blends carbon and price into one figure, so that one policy can weigh both. The means over the
// time ahead make relative changes comparable:
//
//   blended = (1 - w) x carbon + w x mean carbon x (price - low) / (mean price - low),
//
// where low is the lowest price ahead if that is negative, else 0: a saving of one per cent of the
// grams counts (1 - w), one per cent of the money w. Prices below zero are counted from the lowest,
// because no schedule should burn energy to be paid for it. The unit stays g/kWh, with the same
// mean. w = 0 is carbon alone, w = 1 is price alone. Pure.

#include <memory>
#include <optional>

#include "base/time.h"
#include "core/signal/intensity.h"
#include "core/signal/price_series.h"
#include "plan/gate_policy.h"

namespace ebb::plan {

class PriceBlend {
 public:
  /// Means over the time ahead. If all prices equal `lowest_price`, or the mean carbon is 0, the
  /// divisor is 1 instead.
  PriceBlend(double weight, double mean_carbon, double mean_price, double lowest_price);
  double Of(double carbon, double price) const {
    return (1 - weight_) * carbon + price_factor_ * (price - base_) + flat_;
  }

 private:
  double weight_, price_factor_ = 0, base_ = 0, flat_ = 0;
};

/// `view` with blended values from `from` on, as far as carbon and price are both known (price
/// alone for weight 1); the rest is a gap. `prices` must contain only what is known at view.now.
core::SignalView BlendView(const core::SignalView& view, const core::PriceSeries& prices,
                           double weight, Time from);

struct PriceGateOptions {
  std::shared_ptr<const core::PriceSeries> prices;  ///< prices over the whole run and its wait
  double weight = 0;                ///< 0 to 1, see above; `inner` decides on the blended values
  std::optional<double> threshold;  ///< threshold per kWh: the run waits while the price is above;
                                    ///< equality admits
};

/// A gate that also considers the price. First the threshold: above it, or while the price is
/// unknown, the run waits until the latest start. Then the weight: `inner` decides. The decision
/// has the true intensities, and its note has the prices.
std::unique_ptr<GatePolicy> MakePriceAware(std::unique_ptr<GatePolicy> inner,
                                           PriceGateOptions options);

}  // namespace ebb::plan
