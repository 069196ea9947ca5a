#include "forecast/ridge_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ebb::forecast {
namespace {

constexpr std::size_t kPastDays = 7;
constexpr std::size_t kPastHours = kPastDays * kHoursPerDay;
constexpr std::size_t kWeekdays = 7;
// The last 24 hours one by one, the days before as means, then calendar: one, year, day of the
// week.
constexpr std::size_t kInputs = kHoursPerDay + (kPastDays - 1) + 3 + kWeekdays;
// Calendar inputs are made small, so that the penalty holds them back more than the past.
constexpr double kCalendarScale = 0.03;
constexpr double kPenalty = 0.2;
// Fits of neighbouring hours of the day share their rows, less with each hour between.
constexpr int kNeighbours = 3;
constexpr double kNeighbourWeight = 0.8;

constexpr Duration kFitPeriod{std::chrono::days{28}};
constexpr std::size_t kWarmUpHours = 14 * kHoursPerDay;  // until the typical day is typical
constexpr std::size_t kLeastHours = 70 * kHoursPerDay;
constexpr double kLeastRows = 21;  // per hour of the day
constexpr std::size_t kErrorHours = 120 * kHoursPerDay;
constexpr std::size_t kLeastErrorHours = 21 * kHoursPerDay;
constexpr double kLowQuantile = 0.1;

std::int64_t PeriodOf(Time time) {
  return std::chrono::floor<std::chrono::days>(time).time_since_epoch() / kFitPeriod;
}

std::size_t Neighbour(std::size_t hour_of_day, int distance) {
  const int day = static_cast<int>(kHoursPerDay);
  return static_cast<std::size_t>((static_cast<int>(hour_of_day) + day + distance) % day);
}

// The value below which the given share of `values` lies; reorders them.
double Quantile(std::vector<double>& values, double share) {
  const auto index = std::lround(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

RidgeModel::RidgeModel() : sums_(kHoursPerDay, NormalEquations(kInputs, kLeads)) {}

void RidgeModel::Learn(std::span<const core::Sample> known) {
  if (!grid_.Extend(known)) return;
  HourlyGrid grid = std::move(grid_);
  *this = RidgeModel();
  grid_ = std::move(grid);
}

std::optional<HourlyPath> RidgeModel::Expect(std::size_t issue) {
  if (issue < kLeastHours) return std::nullopt;
  const std::size_t hole =
      grid_.UnknownBefore(issue + 1) - grid_.UnknownBefore(issue + 1 - kHoursPerDay);
  const Fit& fit = FitFor(issue);
  if (hole > 0 || fit.weights.empty()) return std::nullopt;
  HourlyPath path;
  path.deviation = Predict(fit, issue);
  for (std::size_t lead = 0; lead < kLeads; ++lead)
    path.typical.push_back(TypicalAhead(issue, lead));
  if (fit.low.empty()) return path;
  const double level = Level(issue);
  const std::size_t row = issue % kHoursPerDay * kLeads;
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    path.low.push_back(std::min(0.0, fit.low[row + lead] * level));
    path.high.push_back(std::max(0.0, fit.high[row + lead] * level));
  }
  return path;
}

std::size_t RidgeModel::FitIndexOf(std::size_t hour) const {
  return static_cast<std::size_t>(PeriodOf(grid_.BeginOf(hour)) - PeriodOf(grid_.BeginOf(0)));
}

const RidgeModel::Fit& RidgeModel::FitFor(std::size_t hour) {
  const std::size_t index = FitIndexOf(hour);
  while (fits_.size() <= index) AddFit();
  return fits_[index];
}

// The fit of a period knows all rows whose last target lies before the period.
void RidgeModel::AddFit() {
  const std::int64_t period = PeriodOf(grid_.BeginOf(0)) + static_cast<std::int64_t>(fits_.size());
  const std::size_t boundary = grid_.FirstAtOrAfter(Time{period * kFitPeriod});
  for (; next_row_ + kLeads < boundary; ++next_row_) AddRow(next_row_);
  const std::size_t surplus = error_issues_.size() - std::min(error_issues_.size(), kErrorHours);
  error_issues_.erase(error_issues_.begin(),
                      error_issues_.begin() + static_cast<std::ptrdiff_t>(surplus));
  errors_.erase(errors_.begin(), errors_.begin() + static_cast<std::ptrdiff_t>(surplus * kLeads));
  fits_.push_back(Solve());
}

void RidgeModel::AddRow(std::size_t issue) {
  if (issue < kWarmUpHours) return;
  if (grid_.UnknownBefore(issue + 1 + kLeads) != grid_.UnknownBefore(issue + 1 - kPastHours))
    return;
  const double level = Level(issue);
  std::vector<double> targets(kLeads);
  for (std::size_t lead = 0; lead < kLeads; ++lead)
    targets[lead] = (grid_.value(issue + 1 + lead) - TypicalAhead(issue, lead)) / level;
  if (const Fit& fit = fits_[FitIndexOf(issue)]; !fit.weights.empty()) {
    const std::vector<double> predicted = Predict(fit, issue);
    for (std::size_t lead = 0; lead < kLeads; ++lead)
      errors_.push_back(targets[lead] - predicted[lead] / level);
    error_issues_.push_back(issue);
  }
  sums_[issue % kHoursPerDay].AddRow(Inputs(issue), targets);
}

RidgeModel::Fit RidgeModel::Solve() const {
  Fit fit;
  if (sums_[0].rows < kLeastRows) return fit;
  for (std::size_t hour = 0; hour < kHoursPerDay; ++hour) {
    NormalEquations shared = sums_[hour];
    double weight = 1;
    for (int distance = 1; distance <= kNeighbours; ++distance) {
      weight *= kNeighbourWeight;
      shared.AddScaled(sums_[Neighbour(hour, distance)], weight);
      shared.AddScaled(sums_[Neighbour(hour, -distance)], weight);
    }
    const std::vector<double> weights = SolveRidge(std::move(shared), kPenalty);
    fit.weights.insert(fit.weights.end(), weights.begin(), weights.end());
  }
  FindBands(fit);
  return fit;
}

void RidgeModel::FindBands(Fit& fit) const {
  if (error_issues_.size() < kLeastErrorHours) return;
  std::vector<std::vector<std::size_t>> rows_of(kHoursPerDay);
  for (std::size_t row = 0; row < error_issues_.size(); ++row) {
    for (int distance = -kNeighbours; distance <= kNeighbours; ++distance)
      rows_of[Neighbour(error_issues_[row] % kHoursPerDay, distance)].push_back(row);
  }
  std::vector<double> errors;
  for (const std::vector<std::size_t>& rows : rows_of) {
    for (std::size_t lead = 0; lead < kLeads; ++lead) {
      errors.clear();
      for (const std::size_t row : rows) errors.push_back(errors_[row * kLeads + lead]);
      fit.low.push_back(errors.empty() ? 0 : Quantile(errors, kLowQuantile));
      fit.high.push_back(errors.empty() ? 0 : Quantile(errors, 1 - kLowQuantile));
    }
  }
}

std::vector<double> RidgeModel::Inputs(std::size_t issue) const {
  std::vector<double> inputs;
  inputs.reserve(kInputs);
  const double level = Level(issue);
  // The typical value of an hour of the day as it stands at `issue`.
  const auto deviation = [&](std::size_t back) {
    return (grid_.value(issue - back) - grid_.typical(issue - back % kHoursPerDay)) / level;
  };
  for (std::size_t back = 0; back < kHoursPerDay; ++back) inputs.push_back(deviation(back));
  for (std::size_t day = 1; day < kPastDays; ++day) {
    double sum = 0;
    for (std::size_t hour = 0; hour < kHoursPerDay; ++hour)
      sum += deviation(day * kHoursPerDay + hour);
    inputs.push_back(sum / static_cast<double>(kHoursPerDay));
  }
  const auto day = std::chrono::floor<std::chrono::days>(grid_.BeginOf(issue)).time_since_epoch();
  const double year = 2 * std::numbers::pi * static_cast<double>(day.count()) / 365.25;
  inputs.push_back(kCalendarScale);
  inputs.push_back(kCalendarScale * std::cos(year));
  inputs.push_back(kCalendarScale * std::sin(year));
  const auto weekday = static_cast<std::size_t>((day.count() % 7 + 7) % 7);
  for (std::size_t i = 0; i < kWeekdays; ++i) inputs.push_back(i == weekday ? kCalendarScale : 0);
  return inputs;
}

std::vector<double> RidgeModel::Predict(const Fit& fit, std::size_t issue) const {
  const std::vector<double> inputs = Inputs(issue);
  std::vector<double> result(kLeads);
  const double* weights = fit.weights.data() + issue % kHoursPerDay * kInputs * kLeads;
  for (const double input : inputs) {
    for (std::size_t lead = 0; lead < kLeads; ++lead) result[lead] += input * weights[lead];
    weights += kLeads;
  }
  const double level = Level(issue);
  for (double& deviation : result) deviation *= level;
  return result;
}

// The mean of the typical day as it stands at `issue`.
double RidgeModel::Level(std::size_t issue) const {
  double sum = 0;
  for (std::size_t back = 0; back < kHoursPerDay; ++back) sum += grid_.typical(issue - back);
  return sum > 0 ? sum / static_cast<double>(kHoursPerDay) : 1;
}

// `lead` 0 is the hour after `issue`.
double RidgeModel::TypicalAhead(std::size_t issue, std::size_t lead) const {
  return grid_.typical(issue + 1 + lead % kHoursPerDay - kHoursPerDay);
}

}  // namespace ebb::forecast
