#pragma once
// Turns knowledge of the grid into the prices that the planner uses: one price per step of time and
// site. All judgement about the future is here and nowhere else: the quantile of the forecast, the
// values beyond its end, the meaning of a missing value, the weight of money beside carbon.

#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/signal/intensity.h"
#include "core/signal/price_series.h"
#include "plan/policy.h"
#include "plan/problem/price_curve.h"

namespace ebb::plan {

/// Electricity prices at each site of a cluster, all in one currency; nullptr: unknown.
using SitePrices = std::vector<std::shared_ptr<const core::PriceSeries>>;

struct PriceOptions {
  /// Quantile of the forecast that prices the future, 0.1 to 0.9: interpolated between P10, P50 and
  /// P90 if the forecast has a band. Above 0.5, waiting must pay even if the future turns out
  /// dirtier than expected.
  double risk = 0.5;
  /// Weight of money. 0: grams alone; 1: money alone; in between as in plan/price_blend.h, with the
  /// means over the horizon and over the sites that have prices.
  double tariff_weight = 0;
  /// Prices by site; only values known at the moment of planning are used. Beyond the last known
  /// price, and in gaps, the rule for carbon holds: the price a day earlier, or the last one
  /// before. A site without any prices counts with the mean of the others.
  SitePrices tariffs;
};

/// One curve per site from now's step to `end`. A site without a forecast costs the same at all
/// times, so that nothing favours waiting. Beyond the end of a forecast its last day repeats; a
/// missing value is the one a day earlier, or the last one before.
std::vector<PriceCurve> MakePrices(const Problem& problem, Time end, Duration shortest_step,
                                   const PriceOptions& options);

/// The expected intensity of a site at each step of `curve`, from which its price is made before
/// money counts; nullopt if a step has no value and no forecast would fill it.
std::vector<std::optional<double>> ExpectedIntensities(const core::SignalView* view,
                                                       const PriceCurve& curve, double risk);

/// A curve from a series that is known throughout, for tests and for judging a plan afterwards:
/// without a quantile, and filled only as MakePrices does.
PriceCurve PriceOfSeries(const core::IntensitySeries& series, Interval span, Duration step);

}  // namespace ebb::plan
