#include "forecast/drivers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr Duration kDay{std::chrono::days{1}};
constexpr auto kDayHours = static_cast<std::ptrdiff_t>(kHoursPerDay);

// The hours of a mean, counted from the latest hour of the zone.
struct Block {
  std::ptrdiff_t first, last;
};
// The last day and its end, then a day and a half ahead in steps of three hours (as far as an
// auction or an operator's forecast reaches), then day by day.
constexpr std::array<Block, kInputsPerDriver> kBlocks{{{-23, 0},
                                                       {-2, 0},
                                                       {1, 3},
                                                       {4, 6},
                                                       {7, 9},
                                                       {10, 12},
                                                       {13, 15},
                                                       {16, 18},
                                                       {19, 21},
                                                       {22, 24},
                                                       {25, 27},
                                                       {28, 30},
                                                       {31, 33},
                                                       {34, 36},
                                                       {37, 60},
                                                       {61, 84},
                                                       {85, 100}}};
// Input value of a departure of the usual size. It is small, so that the penalty of the regression
// matters.
constexpr double kScale = 0.05;
// A departure is divided by the usual size over the whole past. For a driver that drifts, the usual
// size of the last weeks counts if it is larger. There is no usual size before kLeastHours.
constexpr double kRecentHours = 28.0 * kHoursPerDay;
constexpr double kLeastHours = 28.0 * kHoursPerDay;

}  // namespace

Driver DriverOf(const core::PriceSeries& prices) {
  Driver driver{"prices", {}, {}, true};
  if (prices.empty()) return driver;
  const auto price_of = [&](Interval hour) -> std::optional<DriverHour> {
    const auto mean = prices.Mean(hour);
    if (!mean || mean->coverage < 1) return std::nullopt;
    Time known = Time::min();
    for (Time at = hour.begin; at < hour.end;) {
      const core::PriceSample* sample = prices.At(at);
      known = std::max(known, sample->known_from);
      at = sample->interval.end;
    }
    return DriverHour{mean->per_kwh, known};
  };
  driver.begin = std::chrono::floor<std::chrono::hours>(prices.samples().front().interval.begin);
  const Time end = prices.samples().back().interval.end;
  for (Time hour = driver.begin; hour < end; hour += kHour)
    driver.hours.push_back(price_of({hour, hour + kHour}));
  return driver;
}

DriverInputs::DriverInputs(const std::vector<Driver>& drivers, const core::Publication& publication)
    : publication_(publication) {
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    if (i > 0) name_ += i + 1 < drivers.size() ? ", " : " and ";
    name_ += drivers[i].name;
    drivers_.push_back(DeparturesOf(drivers[i]));
  }
}

DriverInputs::Departures DriverInputs::DeparturesOf(const Driver& driver) {
  EBB_CHECK(driver.begin.time_since_epoch() % kHour == Duration::zero());
  Departures result;
  result.begin = driver.begin;
  double recent = 0, always = 0, counted = 0;
  for (std::size_t hour = 0; hour < driver.hours.size(); ++hour) {
    std::optional<DriverHour> value = driver.hours[hour];
    // The usual value a day ago counts as fully known, so a value that became known more than a day
    // after its hour is left out.
    const Time end = driver.begin + static_cast<Duration::rep>(hour + 1) * kHour;
    if (value && value->known > end + kDay) value.reset();
    const double usual = result.typical.Next();
    if (value && hour >= kHoursPerDay) {
      const double square = (value->value - usual) * (value->value - usual);
      counted += 1;
      recent += (square - recent) / std::min(kRecentHours, counted);
      always += (square - always) / counted;
    }
    result.typical.Append(value ? value->value : usual, value.has_value());
    result.hours.push_back(value);
    result.spread.push_back(
        counted >= kLeastHours ? std::sqrt(driver.drifts ? std::max(recent, always) : always) : 0);
  }
  return result;
}

std::optional<double> DriverInputs::Departures::Of(std::ptrdiff_t hour, std::ptrdiff_t issue,
                                                   Time now) const {
  if (hour < 0 || hour >= static_cast<std::ptrdiff_t>(hours.size())) return std::nullopt;
  const auto& value = hours[static_cast<std::size_t>(hour)];
  if (!value || value->known > now) return std::nullopt;
  // The same hour of the day, at least a day before the issue.
  const std::ptrdiff_t days = (hour - issue + 2 * kDayHours - 1) / kDayHours;
  const std::ptrdiff_t like = hour - std::max<std::ptrdiff_t>(1, days) * kDayHours;
  if (like < 0 || issue < kDayHours) return std::nullopt;
  const double usual_spread = spread[static_cast<std::size_t>(issue - kDayHours)];
  if (usual_spread <= 0) return std::nullopt;
  return (value->value - typical.typical(static_cast<std::size_t>(like))) / usual_spread;
}

std::vector<double> DriverInputs::At(Time hour) const {
  const Time now = publication_.Of({hour, hour + kHour});
  const Time whole_hour = std::chrono::floor<std::chrono::hours>(hour);
  std::vector<double> inputs;
  inputs.reserve(size());
  for (const Departures& driver : drivers_) {
    const std::ptrdiff_t issue = (whole_hour - driver.begin) / kHour;
    for (const Block& block : kBlocks) {
      double sum = 0;
      int known = 0;
      for (std::ptrdiff_t lead = block.first; lead <= block.last; ++lead) {
        if (const auto departure = driver.Of(issue + lead, issue, now)) {
          sum += *departure;
          ++known;
        }
      }
      inputs.push_back(known > 0 ? kScale * sum / known : 0);
    }
  }
  return inputs;
}

}  // namespace ebb::forecast
