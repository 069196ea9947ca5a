#pragma once
// Judges a provider's forecasts against Ebb's own. Both are asked at the same past moments, each
// from what was known then, and compared with the truth, over the rows that both have. Pure.

#include <optional>
#include <span>

#include "forecast/forecaster.h"

namespace ebb::forecast {

/// A judgement looks at the four weeks before the current one, up to 96 hours ahead.
inline constexpr Duration kJudgedWeek{std::chrono::days{7}};
inline constexpr Duration kJudgedRecord = 4 * kJudgedWeek;
inline constexpr Duration kJudgedHorizon{std::chrono::hours{96}};

struct Judgement {
  double provider_error = 0;  ///< sums of absolute errors, g/kWh
  double own_error = 0;
  int rows = 0;

  /// False if there are too few rows for a record. Then the provider, who knows more, is trusted.
  bool IsRecord() const { return rows >= 100; }
  bool ProviderIsBetter() const { return !IsRecord() || provider_error <= own_error; }
  double ProviderMean() const { return rows > 0 ? provider_error / rows : 0; }
  double OwnMean() const { return rows > 0 ? own_error / rows : 0; }
};

/// End of the judged time: the begin of the week that contains `now` (weeks count from 1970-01-01),
/// so that a verdict holds for a week.
Time JudgedUntil(Time now);

/// Judges forecasts at `moments`, in order, by the values published by `until`. Both forecasters
/// must keep to `publication`.
Result<Judgement> Judge(Forecaster& provider, Forecaster& own, const core::IntensitySeries& history,
                        const core::Publication& publication, std::span<const Time> moments,
                        Time until);

}  // namespace ebb::forecast
