#pragma once
// What electricity cost: the energy of the facility (IT energy times PUE) times its price,
// integrated over time. Energy whose price is unknown is kept apart: unknown is never 0.

#include <vector>

#include "base/units.h"
#include "core/ledger.h"
#include "core/price_series.h"

namespace ebb::core {

struct Cost {
  double amount = 0;             ///< of the priced part, in the currency of the series
  double priced_kwh = 0;         ///< facility energy
  double kwh_without_price = 0;  ///< facility energy

  /// Share of the energy whose price is unknown, 0 to 1.
  double UnknownShare() const;
  /// Energy-weighted mean price of the priced part; nothing where there is none.
  std::optional<double> MeanPerKwh() const;

  Cost& operator+=(const Cost& other);
};

/// Of `facility_kwh` used evenly over `window`; an empty window takes the price of its instant.
Cost CostOver(double facility_kwh, Interval window, const PriceSeries& prices);

/// Of a run's rows, when they were used (grid clock).
Cost CostOf(const std::vector<LedgerRow>& rows, const PriceSeries& prices);

/// Of the same rows with the first one starting at `start`, pauses closed up
/// (core/counterfactual.h).
Cost CostIfStarted(const std::vector<LedgerRow>& rows, Time start, const PriceSeries& prices);

}  // namespace ebb::core
