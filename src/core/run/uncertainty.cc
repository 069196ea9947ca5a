#include "core/run/uncertainty.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ebb::core {
namespace {

// Published figures, and figures that we derived from them: docs/METHOD.md, "Uncertainty".
constexpr double kProcessorCounter = 0.10;
constexpr double kMemoryCounter = 0.20;
constexpr double kGpuCounter = 0.10;
constexpr double kGpuPowerIntegral = 0.30;
constexpr double kSharedByUse = 0.30;
constexpr double kModel = 0.50;

constexpr double kMeasuredIntensity = 0.10;
constexpr double kEstimatedIntensity = 0.20;
constexpr double kForecastIntensity = 0.35;
constexpr double kModelledIntensity = 0.50;

// bench/intensity-errors measured these. The values for measured and estimated intensities are our
// own.
constexpr HourCorrelation kMeasuredHours{0.8, 0.7};
constexpr HourCorrelation kEstimatedHours{0.6, 0.4};
constexpr HourCorrelation kForecastHours{0.6, 0.25};
constexpr HourCorrelation kModelledHours{0.6, 0.3};

constexpr std::size_t kStatuses = 4;

std::size_t IndexOf(EnergyWay way) {
  return (static_cast<std::size_t>(way.component) * 3 + static_cast<std::size_t>(way.source)) * 2 +
         (way.shared ? 1 : 0);
}

EnergyWay WayAt(std::size_t index) {
  return {static_cast<Component>(index / 6), static_cast<EnergySource>(index / 2 % 3),
          index % 2 == 1};
}

double Square(double value) { return value * value; }

double BoundOfColumn(std::size_t column) {
  return column < kStatuses ? RelativeBound(static_cast<SampleStatus>(column)) : 0;
}

}  // namespace

EnergyWay WayOf(const LedgerRow& row, MeterScope scope) {
  return {row.component, row.source,
          row.component == Component::kGpu ? row.shared : scope == MeterScope::kProcessTree};
}

bool IsMeasured(EnergyWay way) { return way.source != EnergySource::kModel && !way.shared; }

double RelativeBound(EnergyWay way) {
  if (way.source == EnergySource::kModel) return kModel;
  if (way.shared) return kSharedByUse;
  if (way.component == Component::kGpu)
    return way.source == EnergySource::kCounter ? kGpuCounter : kGpuPowerIntegral;
  return way.component == Component::kRam ? kMemoryCounter : kProcessorCounter;
}

double RelativeBound(SampleStatus intensity) {
  switch (intensity) {
    case SampleStatus::kMeasured:
      return kMeasuredIntensity;
    case SampleStatus::kEstimated:
      return kEstimatedIntensity;
    case SampleStatus::kForecast:
      return kForecastIntensity;
    case SampleStatus::kModelled:
      return kModelledIntensity;
  }
  return kModelledIntensity;
}

Band BandOf(double value, double half_width) {
  return {std::max(0.0, value - half_width), value + half_width};
}

void UncertaintySum::Add(const LedgerRow& row, MeterScope scope, bool exact_intensity) {
  const EnergyWay way = WayOf(row, scope);
  if (IsMeasured(way)) measured_ += row.energy;
  joules_[IndexOf(way)] += row.energy.joules();
  all_joules_ += row.energy.joules();
  const auto emissions = row.emissions();
  if (!emissions) return;
  const auto column = exact_intensity ? kStatuses : static_cast<std::size_t>(row.intensity_status);
  grams_[IndexOf(way)][column] += emissions->grams;
  all_grams_ += emissions->grams;
}

Uncertainty UncertaintySum::Value() const {
  double energy_variance = 0, emissions_variance = 0;
  std::array<double, kColumns> by_column{};
  for (std::size_t way = 0; way < kWays; ++way) {
    const double of_energy = RelativeBound(WayAt(way));
    energy_variance += Square(of_energy * joules_[way]);
    double of_way = 0;
    for (std::size_t column = 0; column < kColumns; ++column) {
      of_way += grams_[way][column];
      by_column[column] += grams_[way][column];
      emissions_variance += Square(of_energy * BoundOfColumn(column) * grams_[way][column] / 2);
    }
    emissions_variance += Square(of_energy * of_way);
  }
  for (std::size_t column = 0; column < kColumns; ++column)
    emissions_variance += Square(BoundOfColumn(column) * by_column[column]);
  Uncertainty result;
  result.measured = measured_;
  if (all_joules_ > 0) result.energy_share = std::sqrt(energy_variance) / all_joules_;
  if (all_grams_ > 0) result.emissions_share = std::sqrt(emissions_variance) / all_grams_;
  return result;
}

Uncertainty UncertaintyOf(const std::vector<LedgerRow>& rows, MeterScope scope) {
  UncertaintySum sum;
  for (const LedgerRow& row : rows) sum.Add(row, scope);
  return sum.Value();
}

HourCorrelation CorrelationOfHours(SampleStatus intensity) {
  switch (intensity) {
    case SampleStatus::kMeasured:
      return kMeasuredHours;
    case SampleStatus::kEstimated:
      return kEstimatedHours;
    case SampleStatus::kForecast:
      return kForecastHours;
    case SampleStatus::kModelled:
      return kModelledHours;
  }
  return kModelledHours;
}

namespace {

// The grams of each hour, for the variance of their sum with errors of unit size.
class OverHours {
 public:
  void Add(Time hour, double grams) {
    sum_ += grams;
    squares_ += Square(grams);
    by_day_[std::chrono::floor<std::chrono::days>(hour)] += grams;
  }
  double Variance(std::size_t status) const {
    const HourCorrelation agree = CorrelationOfHours(static_cast<SampleStatus>(status));
    double squares_of_days = 0;
    for (const auto& [day, grams] : by_day_) squares_of_days += Square(grams);
    return agree.across_days * Square(sum_) +
           (agree.within_day - agree.across_days) * squares_of_days +
           (1 - agree.within_day) * squares_;
  }

 private:
  double sum_ = 0, squares_ = 0;
  std::map<Time, double> by_day_;
};

}  // namespace

double HalfWidthOfDifference(const std::vector<LedgerRow>& one, const std::vector<LedgerRow>& other,
                             MeterScope scope) {
  DifferenceSum sum;
  sum.Add(one, other, scope);
  return sum.HalfWidth();
}

void DifferenceSum::AddGrams(const std::vector<LedgerRow>& rows, MeterScope scope, double sign) {
  for (const LedgerRow& row : rows) {
    const auto emissions = row.emissions();
    if (!emissions) continue;
    const Time hour = std::chrono::floor<std::chrono::hours>(row.grid.begin);
    grams_[{IndexOf(WayOf(row, scope)), static_cast<std::size_t>(row.intensity_status), hour}] +=
        sign * emissions->grams;
  }
}

void DifferenceSum::Add(const std::vector<LedgerRow>& one, const std::vector<LedgerRow>& other,
                        MeterScope scope) {
  AddGrams(one, scope, 1);
  AddGrams(other, scope, -1);
}

void DifferenceSum::Add(const DifferenceSum& more) {
  for (const auto& [key, grams] : more.grams_) grams_[key] += grams;
}

double DifferenceSum::HalfWidth() const {
  std::map<std::size_t, double> of_way;
  std::map<std::pair<std::size_t, Time>, double> by_status_and_hour;
  std::map<std::pair<std::size_t, std::size_t>, OverHours> of_cell;
  for (const auto& [key, grams] : grams_) {
    const auto [way, status, hour] = key;
    of_way[way] += grams;
    by_status_and_hour[{status, hour}] += grams;
    of_cell[{way, status}].Add(hour, grams);
  }
  std::array<OverHours, kStatuses> of_status;
  for (const auto& [key, grams] : by_status_and_hour) of_status[key.first].Add(key.second, grams);
  double sum = 0;
  for (const auto& [way, grams] : of_way) sum += Square(RelativeBound(WayAt(way)) * grams);
  for (std::size_t status = 0; status < kStatuses; ++status)
    sum += Square(RelativeBound(static_cast<SampleStatus>(status))) *
           of_status[status].Variance(status);
  for (const auto& [key, cell] : of_cell)
    sum += Square(RelativeBound(WayAt(key.first)) *
                  RelativeBound(static_cast<SampleStatus>(key.second)) / 2) *
           cell.Variance(key.second);
  return std::sqrt(sum);
}

}  // namespace ebb::core
