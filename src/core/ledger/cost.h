#pragma once
// Cost of electricity: facility energy (IT energy times PUE) times its price, integrated over time.
// Energy whose price is unknown is kept apart: unknown is never 0.

#include <vector>

#include "base/units.h"
#include "core/ledger/ledger.h"
#include "core/signal/price_series.h"

namespace ebb::core {

struct Cost {
  double amount = 0;             ///< cost of the priced part, in the currency of the series
  double priced_kwh = 0;         ///< facility energy with a price
  double kwh_without_price = 0;  ///< facility energy without a price

  /// Share of the energy whose price is unknown, 0 to 1.
  double UnknownShare() const;
  /// Energy-weighted mean price of the priced part; nullopt if no part has a price.
  std::optional<double> MeanPerKwh() const;

  Cost& operator+=(const Cost& other);
};

/// The cost of `facility_kwh` used evenly over `window`. An empty window takes the price of its
/// instant.
Cost CostOver(double facility_kwh, Interval window, const PriceSeries& prices);

/// The cost of a run's rows at the times of use (grid clock).
Cost CostOf(const std::vector<LedgerRow>& rows, const PriceSeries& prices);

/// The cost of the same rows if the first one started at `start`, with pauses closed up
/// (core/ledger/counterfactual.h).
Cost CostIfStarted(const std::vector<LedgerRow>& rows, Time start, const PriceSeries& prices);

}  // namespace ebb::core
