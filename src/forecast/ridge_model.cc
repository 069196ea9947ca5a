#include "forecast/ridge_model.h"

#include <algorithm>
#include <cstdint>

namespace ebb::forecast {

RidgeModel::RidgeModel(std::shared_ptr<const DriverInputs> drivers)
    : drivers_(std::move(drivers)), sums_(drivers_ ? drivers_->size() : 0) {}

std::size_t RidgeModel::Learn(std::span<const core::Sample> known) {
  const std::size_t seen = grid_.size();
  const std::size_t stayed = grid_.Extend(known);
  if (stayed == seen || stayed >= fitted_before_) return stayed;
  HourlyGrid grid = std::move(grid_);
  *this = RidgeModel(std::move(drivers_));
  grid_ = std::move(grid);
  return 0;
}

std::vector<double> RidgeModel::DriversAt(std::size_t issue) const {
  return drivers_ ? drivers_->At(grid_.BeginOf(issue)) : std::vector<double>();
}

std::optional<HourlyPath> RidgeModel::Expect(std::size_t issue) {
  if (issue < kLeastHours) return std::nullopt;
  const std::size_t hole =
      grid_.UnknownBefore(issue + 1) - grid_.UnknownBefore(issue + 1 - kHoursPerDay);
  const Fit& fit = FitFor(issue);
  if (hole > 0 || fit.maps.empty()) return std::nullopt;
  HourlyPath path;
  path.deviation = Predict(fit.maps, grid_.days(), issue, grid_.BeginOf(issue), DriversAt(issue));
  for (std::size_t lead = 0; lead < kLeads; ++lead)
    path.typical.push_back(grid_.days().Ahead(issue, lead));
  if (fit.bands.low.empty()) return path;
  const double level = grid_.days().Level(issue);
  const std::size_t row = issue % kHoursPerDay * kLeads;
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    path.low.push_back(std::min(0.0, fit.bands.low[row + lead] * level));
    path.high.push_back(std::max(0.0, fit.bands.high[row + lead] * level));
  }
  return path;
}

std::size_t RidgeModel::FitIndexOf(std::size_t hour) const {
  return static_cast<std::size_t>(FitPeriodOf(grid_.BeginOf(hour)) - FitPeriodOf(grid_.BeginOf(0)));
}

const RidgeModel::Fit& RidgeModel::FitFor(std::size_t hour) {
  const std::size_t index = FitIndexOf(hour);
  while (fits_.size() <= index) AddFit();
  return fits_[index];
}

// The fit of a period uses all rows whose last target lies before the period.
void RidgeModel::AddFit() {
  const std::int64_t period =
      FitPeriodOf(grid_.BeginOf(0)) + static_cast<std::int64_t>(fits_.size());
  const std::size_t boundary = grid_.FirstAtOrAfter(BeginOfFitPeriod(period));
  for (; next_row_ + kLeads < boundary; ++next_row_) AddRow(next_row_);
  fitted_before_ = boundary;
  const std::size_t surplus = error_issues_.size() - std::min(error_issues_.size(), kErrorHours);
  error_issues_.erase(error_issues_.begin(),
                      error_issues_.begin() + static_cast<std::ptrdiff_t>(surplus));
  errors_.erase(errors_.begin(), errors_.begin() + static_cast<std::ptrdiff_t>(surplus * kLeads));
  PastMaps maps = sums_.Solve();
  Bands bands = maps.empty() ? Bands{} : BandsOf(errors_, error_issues_);
  fits_.push_back({std::move(maps), std::move(bands)});
}

void RidgeModel::AddRow(std::size_t issue) {
  if (issue < kWarmUpHours) return;
  if (grid_.UnknownBefore(issue + 1 + kLeads) != grid_.UnknownBefore(issue + 1 - kPastHours))
    return;
  const TypicalDays& days = grid_.days();
  const std::vector<double> further = DriversAt(issue);
  if (const Fit& fit = fits_[FitIndexOf(issue)]; !fit.maps.empty()) {
    const std::vector<double> errors =
        RelativeErrors(days, issue, Predict(fit.maps, days, issue, grid_.BeginOf(issue), further));
    errors_.insert(errors_.end(), errors.begin(), errors.end());
    error_issues_.push_back(issue);
  }
  sums_.AddRow(days, issue, grid_.BeginOf(issue), further);
}

}  // namespace ebb::forecast
