#include "forecast/past_regression.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr std::size_t kPastDays = kPastHours / kHoursPerDay;
constexpr std::size_t kWeekdays = 7;
// The last 24 hours one by one, the days before as means, then the calendar: one, year, day of the
// week.
constexpr std::size_t kPastInputs = kHoursPerDay + (kPastDays - 1) + 3 + kWeekdays;
// Calendar inputs are small, so that the penalty holds them back more than the past.
constexpr double kCalendarScale = 0.03;
constexpr double kPenalty = 0.2;
constexpr double kNeighbourWeight = 0.8;
constexpr double kLeastRows = 21;  // rows per hour of the day

constexpr Duration kFitPeriod{std::chrono::days{28}};
constexpr std::size_t kLeastErrorHours = 21 * kHoursPerDay;
constexpr double kLowQuantile = 0.1;

std::vector<double> Inputs(const TypicalDays& days, std::size_t hour, Time begin_of_hour,
                           std::span<const double> further) {
  std::vector<double> inputs;
  inputs.reserve(kPastInputs + further.size());
  const double level = days.Level(hour);
  // The deviation from the typical value of that hour of the day, as it stands at `hour`.
  const auto deviation = [&](std::size_t back) {
    return (days.value(hour - back) - days.typical(hour - back % kHoursPerDay)) / level;
  };
  for (std::size_t back = 0; back < kHoursPerDay; ++back) inputs.push_back(deviation(back));
  for (std::size_t day = 1; day < kPastDays; ++day) {
    double sum = 0;
    for (std::size_t i = 0; i < kHoursPerDay; ++i) sum += deviation(day * kHoursPerDay + i);
    inputs.push_back(sum / static_cast<double>(kHoursPerDay));
  }
  const auto day = std::chrono::floor<std::chrono::days>(begin_of_hour).time_since_epoch();
  const double year = 2 * std::numbers::pi * static_cast<double>(day.count()) / 365.25;
  inputs.push_back(kCalendarScale);
  inputs.push_back(kCalendarScale * std::cos(year));
  inputs.push_back(kCalendarScale * std::sin(year));
  const auto weekday = static_cast<std::size_t>((day.count() % 7 + 7) % 7);
  for (std::size_t i = 0; i < kWeekdays; ++i) inputs.push_back(i == weekday ? kCalendarScale : 0);
  inputs.insert(inputs.end(), further.begin(), further.end());
  return inputs;
}

}  // namespace

std::int64_t FitPeriodOf(Time time) {
  return std::chrono::floor<std::chrono::days>(time).time_since_epoch() / kFitPeriod;
}

Time BeginOfFitPeriod(std::int64_t period) { return Time{period * kFitPeriod}; }

std::size_t NeighbourHour(std::size_t hour_of_day, int distance) {
  const int day = static_cast<int>(kHoursPerDay);
  return static_cast<std::size_t>((static_cast<int>(hour_of_day) + day + distance) % day);
}

NormalEquations SharedSums(const std::vector<NormalEquations>& sums, std::size_t hour) {
  NormalEquations shared = sums[hour];
  double weight = 1;
  for (int distance = 1; distance <= kNeighbourHours; ++distance) {
    weight *= kNeighbourWeight;
    shared.AddScaled(sums[NeighbourHour(hour, distance)], weight);
    shared.AddScaled(sums[NeighbourHour(hour, -distance)], weight);
  }
  return shared;
}

PastSums::PastSums(std::size_t further)
    : sums_(kHoursPerDay, NormalEquations(kPastInputs + further, kLeads)) {}

void PastSums::AddRow(const TypicalDays& days, std::size_t hour, Time begin_of_hour,
                      std::span<const double> further) {
  const double level = days.Level(hour);
  std::vector<double> targets(kLeads);
  for (std::size_t lead = 0; lead < kLeads; ++lead)
    targets[lead] = (days.value(hour + 1 + lead) - days.Ahead(hour, lead)) / level;
  sums_[hour % kHoursPerDay].AddRow(Inputs(days, hour, begin_of_hour, further), targets);
}

PastMaps PastSums::Solve() const {
  PastMaps maps;
  if (sums_[0].rows < kLeastRows) return maps;
  for (std::size_t hour = 0; hour < kHoursPerDay; ++hour) {
    const std::vector<double> weights = SolveRidge(SharedSums(sums_, hour), kPenalty);
    maps.insert(maps.end(), weights.begin(), weights.end());
  }
  return maps;
}

std::vector<double> Predict(const PastMaps& maps, const TypicalDays& days, std::size_t hour,
                            Time begin_of_hour, std::span<const double> further) {
  std::vector<double> result(kLeads);
  const std::vector<double> inputs = Inputs(days, hour, begin_of_hour, further);
  EBB_CHECK(maps.size() == kHoursPerDay * inputs.size() * kLeads);
  const double* weights = maps.data() + hour % kHoursPerDay * inputs.size() * kLeads;
  for (const double input : inputs) {
    for (std::size_t lead = 0; lead < kLeads; ++lead) result[lead] += input * weights[lead];
    weights += kLeads;
  }
  const double level = days.Level(hour);
  for (double& deviation : result) deviation *= level;
  return result;
}

std::vector<double> RelativeErrors(const TypicalDays& days, std::size_t hour,
                                   const std::vector<double>& predicted) {
  const double level = days.Level(hour);
  std::vector<double> errors(kLeads);
  for (std::size_t lead = 0; lead < kLeads; ++lead)
    errors[lead] =
        (days.value(hour + 1 + lead) - days.Ahead(hour, lead)) / level - predicted[lead] / level;
  return errors;
}

double Quantile(std::vector<double>& values, double share) {
  const auto index = std::lround(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

Bands BandsOf(const std::vector<double>& all_errors, const std::vector<std::size_t>& hours) {
  Bands bands;
  if (hours.size() < kLeastErrorHours) return bands;
  std::vector<std::vector<std::size_t>> rows_of(kHoursPerDay);
  for (std::size_t row = 0; row < hours.size(); ++row) {
    for (int distance = -kNeighbourHours; distance <= kNeighbourHours; ++distance)
      rows_of[NeighbourHour(hours[row] % kHoursPerDay, distance)].push_back(row);
  }
  std::vector<double> errors;
  for (const std::vector<std::size_t>& rows : rows_of) {
    for (std::size_t lead = 0; lead < kLeads; ++lead) {
      errors.clear();
      for (const std::size_t row : rows) errors.push_back(all_errors[row * kLeads + lead]);
      bands.low.push_back(errors.empty() ? 0 : Quantile(errors, kLowQuantile));
      bands.high.push_back(errors.empty() ? 0 : Quantile(errors, 1 - kLowQuantile));
    }
  }
  return bands;
}

}  // namespace ebb::forecast
