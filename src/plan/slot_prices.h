#pragma once
// From what is known of the grid to what the planner pays for an hour: one price per step of time
// and site. All judgement about the future is here and nowhere else: which quantile of the
// forecast, what lies beyond its end, what a missing value means, how money counts beside carbon.

#include <vector>

#include "base/time.h"
#include "core/intensity.h"
#include "plan/policy.h"
#include "plan/price_curve.h"

namespace ebb::plan {

/// Electricity price of one site: what an hour costs from `begin` to the next sample's begin.
struct TariffSample {
  Time begin{};
  double per_kwh = 0;
};

struct PriceOptions {
  /// Which quantile of the forecast prices the future, 0.1 to 0.9: between P10, P50 and P90 by
  /// interpolation, where the forecast has a band. Above 0.5 waiting must be worth it even when the
  /// future turns out dirtier than expected.
  double risk = 0.5;
  /// 0: grams alone, 1: money alone. In between the two are made comparable by their means over
  /// the horizon: price = mean carbon x ((1 - w) x carbon / mean carbon + w x tariff / mean
  /// tariff).
  double tariff_weight = 0;
  /// By site, in order of time; empty: no tariff is known.
  std::vector<std::vector<TariffSample>> tariffs;
};

/// One curve per site from now's step to `end`. A site without a forecast costs the same at all
/// times, so that nothing speaks for waiting. Beyond the end of a forecast its last day repeats; a
/// missing value is the one a day earlier, or the last one before.
std::vector<PriceCurve> MakePrices(const Problem& problem, Time end, Duration shortest_step,
                                   const PriceOptions& options);

/// One curve from a series that is known throughout, for tests and for judging a plan afterwards:
/// no quantile, no filling beyond what MakePrices does.
PriceCurve PriceOfSeries(const core::IntensitySeries& series, Interval span, Duration step);

}  // namespace ebb::plan
