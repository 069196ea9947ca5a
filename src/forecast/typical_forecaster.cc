#include "forecast/typical_forecaster.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "forecast/path_forecast.h"
#include "forecast/ridge.h"
#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

// Older hours add nothing to the day ahead.
constexpr std::size_t kHoursUsed = 7 * kHoursPerDay;

// How a zone departs from its typical days: variances in units of the square of the day-to-day
// standard deviation, and time constants in days or hours over which agreement fades. All were
// chosen on 2021.
constexpr double kLasting = 0.9;                                        // another year
constexpr double kWeather = 0.4, kWeatherDays = 3;                      // whole days
constexpr double kShape = 0.25, kShapeDays = 2, kShapeSharpness = 1.9;  // parts of the day
constexpr double kSingleHour = 0.05, kSingleHourDays = 30;              // one hour of the day
constexpr double kLastHours = 0.14, kLastHoursFade = 12;
constexpr double kNoise = 0.0005;
// Possible errors of the level as a whole and of the swing of the day, as shares.
constexpr double kLevelShare = 0.2, kSwingShare = 0.28;
// Typical days are for the life cycle: for another boundary, only their shape is known.
constexpr double kLevelShareOfOther = 1;
// Share of yesterday's values in the day ahead. It limits the error after a change of the grid.
constexpr double kYesterday = 0.25, kYesterdayFadeHours = 48;
// Days that hardly differ within a season may still differ in another year.
constexpr double kLeastDeviation = 0.02;

double AgreementAt(std::size_t hours_apart) {
  const auto apart = static_cast<double>(hours_apart);
  const double days = apart / static_cast<double>(kHoursPerDay);
  const double around = std::cos(2 * std::numbers::pi * days);
  const bool same_hour = hours_apart % kHoursPerDay == 0;
  return kLasting + kWeather * std::exp(-days / kWeatherDays) +
         kShape * std::exp(-days / kShapeDays + kShapeSharpness * (around - 1)) +
         kLastHours * std::exp(-apart / kLastHoursFade) +
         (same_hour ? kSingleHour * std::exp(-days / kSingleHourDays) : 0);
}

// The typical level of one hour, and its swing: the difference from the mean of its day.
struct TypicalHour {
  std::size_t number;
  double level, swing;
};

class Departures {
 public:
  Departures(const TypicalYear& typical, bool knows_level, std::size_t longest)
      : level_(knows_level ? kLevelShare : kLevelShareOfOther) {
    for (std::size_t apart = 0; apart <= longest; ++apart)
      by_distance_.push_back(AgreementAt(apart));
    double mean = 0;
    for (const auto& season : typical.g_per_kwh)
      for (const double value : season) mean += value / static_cast<double>(season.size());
    const double deviation = std::max(typical.day_to_day_sd_g_per_kwh,
                                      kLeastDeviation * mean / static_cast<double>(kSeasons));
    variance_ = deviation * deviation;
  }

  double Of(const TypicalHour& a, const TypicalHour& b) const {
    const std::size_t apart = a.number > b.number ? a.number - b.number : b.number - a.number;
    return variance_ * by_distance_[apart] + level_ * level_ * a.level * b.level +
           kSwingShare * kSwingShare * a.swing * b.swing;
  }
  double noise() const { return variance_ * kNoise; }

 private:
  double level_, variance_ = 0;
  std::vector<double> by_distance_;
};

// Weights of the seen hours: their inverted covariance matrix times their departures.
std::vector<double> WeightsOf(const Departures& departures, const std::vector<TypicalHour>& seen,
                              const std::vector<double>& off) {
  NormalEquations equations(seen.size(), 1);
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      equations.gram[i * seen.size() + j] = departures.Of(seen[i], seen[j]);
  equations.cross = off;
  return SolveRidge(std::move(equations), departures.noise());
}

}  // namespace

HourlyPath TypicalForecaster::Expect(std::size_t hours, core::Boundary boundary) const {
  const auto typical_hour = [&](std::size_t number) {
    const Time begin = grid_.BeginOf(number);
    const double level = typical_->At(begin);
    return TypicalHour{number, level, level - typical_->DayMean(begin)};
  };
  std::vector<TypicalHour> seen;
  std::vector<double> off;
  for (std::size_t hour = hours - std::min(hours, kHoursUsed); hour < hours; ++hour) {
    if (!grid_.IsKnown(hour)) continue;
    seen.push_back(typical_hour(hour));
    off.push_back(grid_.value(hour) - seen.back().level);
  }
  const Departures departures(*typical_, boundary == core::Boundary::kLifecycle,
                              kHoursUsed + kLeads);
  const std::vector<double> weights = WeightsOf(departures, seen, off);
  HourlyPath path;
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    const TypicalHour ahead = typical_hour(hours + lead);
    double deviation = 0;
    for (std::size_t i = 0; i < seen.size(); ++i)
      deviation += departures.Of(ahead, seen[i]) * weights[i];
    const std::size_t days_back = lead / kHoursPerDay + 1;
    if (ahead.number >= days_back * kHoursPerDay) {
      const std::size_t yesterday = ahead.number - days_back * kHoursPerDay;
      const double share = kYesterday * std::exp(-static_cast<double>(lead) / kYesterdayFadeHours);
      if (grid_.IsKnown(yesterday))
        deviation += share * (grid_.value(yesterday) - ahead.level - deviation);
    }
    path.typical.push_back(ahead.level);
    path.deviation.push_back(deviation);
  }
  return path;
}

Result<core::Forecast> TypicalForecaster::At(const core::IntensitySeries& history, Time now,
                                             Duration horizon) {
  const auto known = KnownBy(history, now);
  if (known.empty() || history.identity().kind != core::SignalKind::kAverage)
    return fallback_.At(history, now, horizon);
  grid_.Extend(known);
  const HourlyPath path = Expect(grid_.HoursIn(known), history.identity().boundary);
  core::Forecast forecast =
      ForecastOf(path, grid_, known, history.identity(), {now, now + horizon});
  forecast.method = kTypicalMethod;
  return forecast;
}

std::unique_ptr<Forecaster> MakeEarlyForecaster(std::shared_ptr<const TypicalYear> typical) {
  if (!typical) return std::make_unique<SeasonalNaive>();
  return std::make_unique<TypicalForecaster>(std::move(typical));
}

}  // namespace ebb::forecast
