#pragma once
// From what is known of the grid to what the planner pays for an hour: one price per step of time
// and site. All judgement about the future is here and nowhere else: which quantile of the
// forecast, what lies beyond its end, what a missing value means, how money counts beside carbon.

#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/intensity.h"
#include "core/price_series.h"
#include "plan/policy.h"
#include "plan/problem/price_curve.h"

namespace ebb::plan {

/// What electricity costs at each site of a cluster; nullptr: not known. All of one currency.
using SitePrices = std::vector<std::shared_ptr<const core::PriceSeries>>;

struct PriceOptions {
  /// Which quantile of the forecast prices the future, 0.1 to 0.9: between P10, P50 and P90 by
  /// interpolation, where the forecast has a band. Above 0.5 waiting must be worth it even when the
  /// future turns out dirtier than expected.
  double risk = 0.5;
  /// 0: grams alone, 1: money alone; in between as plan/price_blend.h says, with the means over the
  /// horizon and over the sites that have prices.
  double tariff_weight = 0;
  /// By site; only what is known at the moment of planning is used. Beyond the last known price,
  /// and in gaps, as for carbon: the price a day earlier, or the last one before. A site without
  /// any counts with the mean of the others.
  SitePrices tariffs;
};

/// One curve per site from now's step to `end`. A site without a forecast costs the same at all
/// times, so that nothing speaks for waiting. Beyond the end of a forecast its last day repeats; a
/// missing value is the one a day earlier, or the last one before.
std::vector<PriceCurve> MakePrices(const Problem& problem, Time end, Duration shortest_step,
                                   const PriceOptions& options);

/// What a site is expected to be at each step of `curve`, as its price is made of it before money
/// counts; nothing where a step has no value and no forecast would fill it.
std::vector<std::optional<double>> ExpectedIntensities(const core::SignalView* view,
                                                       const PriceCurve& curve, double risk);

/// One curve from a series that is known throughout, for tests and for judging a plan afterwards:
/// no quantile, no filling beyond what MakePrices does.
PriceCurve PriceOfSeries(const core::IntensitySeries& series, Interval span, Duration step);

}  // namespace ebb::plan
