#include "forecast/judgement.h"

#include <algorithm>
#include <cmath>

#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

// Compares rows that both forecasts have, for intervals that were not over when the forecasts were
// made.
void AddErrors(const core::Forecast& provider, const core::Forecast& own, Time made,
               std::span<const core::Sample> truth, Judgement& judgement) {
  for (const core::Sample& sample : truth) {
    if (sample.interval.end <= made) continue;
    const core::Sample* theirs = provider.series.At(sample.interval.begin);
    const core::Sample* ours = own.series.At(sample.interval.begin);
    if (!theirs || !ours) continue;
    const double value = sample.intensity.g_per_kwh;
    judgement.provider_error += std::fabs(theirs->intensity.g_per_kwh - value);
    judgement.own_error += std::fabs(ours->intensity.g_per_kwh - value);
    ++judgement.rows;
  }
}

}  // namespace

Time JudgedUntil(Time now) {
  return Time{std::chrono::floor<std::chrono::days>(now).time_since_epoch() / kJudgedWeek *
              kJudgedWeek};
}

Result<Judgement> Judge(Forecaster& provider, Forecaster& own, const core::IntensitySeries& history,
                        const core::Publication& publication, std::span<const Time> moments,
                        Time until) {
  Judgement judgement;
  for (const Time moment : moments) {
    EBB_ASSIGN_OR_RETURN(const auto theirs, provider.At(history, moment, kJudgedHorizon));
    EBB_ASSIGN_OR_RETURN(const auto ours, own.At(history, moment, kJudgedHorizon));
    const auto by_moment = KnownBy(history, moment, publication).size();
    const Time end = std::min(moment + kJudgedHorizon, until) - Duration{1};
    const auto by_end = KnownBy(history, end, publication);
    if (by_end.size() > by_moment)
      AddErrors(theirs, ours, moment, by_end.subspan(by_moment), judgement);
  }
  return judgement;
}

}  // namespace ebb::forecast
