#pragma once
// A forecast from nothing but the past of the series: 0.7 times the same hour of yesterday plus 0.3
// times that of last week (of the latest days that are known), plus the current deviation from that
// mean, which fades with a time constant of 12 hours. Weights and constant were chosen on the
// 2021-2024 life-cycle series of four zones; the mean absolute error over 24 hours there: CISO 18
// g, AU-NSW 37 g, GB 38 g, DE 55 g (yesterday alone: 22, 41, 49, 74). Pure.

#include <optional>

#include "base/time.h"
#include "base/units.h"
#include "core/intensity.h"

namespace ebb::signals {

inline constexpr const char* kSeasonalNaiveMethod = "yesterday and last week";

/// What was to be expected at `now` from samples that begin by then. Made once per moment.
class SeasonalNaive {
 public:
  /// `series` must outlive the forecaster; its samples that begin after `now` are never looked at.
  SeasonalNaive(const core::IntensitySeries& series, Time now);

  /// Nothing where neither day nor week before is known.
  std::optional<Intensity> At(Time target) const;

 private:
  std::optional<double> Typical(Time target) const;
  std::optional<double> SameHour(Time target, Duration period, int tries) const;

  const core::IntensitySeries& series_;
  Time now_;
  double deviation_g_per_kwh_ = 0;  ///< of the current value from the typical one
};

}  // namespace ebb::signals
