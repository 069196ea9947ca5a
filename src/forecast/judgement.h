#pragma once
// Whose forecasts were better, a provider's or one's own: both are asked at the same past moments,
// each from what was known then, and compared with what came, over the rows that both have. Pure.

#include <optional>
#include <span>

#include "forecast/forecaster.h"

namespace ebb::forecast {

/// What a judgement looks at: the four weeks before the current one, up to 96 hours ahead.
inline constexpr Duration kJudgedWeek{std::chrono::days{7}};
inline constexpr Duration kJudgedRecord = 4 * kJudgedWeek;
inline constexpr Duration kJudgedHorizon{std::chrono::hours{96}};

struct Judgement {
  double provider_error = 0;  ///< sum of absolute errors, g/kWh
  double own_error = 0;
  int rows = 0;

  /// Too few rows are no record; then the provider, who knows more, is believed.
  bool IsRecord() const { return rows >= 100; }
  bool ProviderIsBetter() const { return !IsRecord() || provider_error <= own_error; }
  double ProviderMean() const { return rows > 0 ? provider_error / rows : 0; }
  double OwnMean() const { return rows > 0 ? own_error / rows : 0; }
};

/// The begin of the week that contains `now` (weeks count from 1970-01-01): what is judged ends
/// there, so that a verdict holds for a week.
Time JudgedUntil(Time now);

/// Forecasts at `moments`, in order, judged by what was published by `until`. Both must keep to
/// `publication`.
Result<Judgement> Judge(Forecaster& provider, Forecaster& own, const core::IntensitySeries& history,
                        const core::Publication& publication, std::span<const Time> moments,
                        Time until);

}  // namespace ebb::forecast
