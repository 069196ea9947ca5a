#include "forecast/typical_days.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::forecast {
namespace {

// Time constant of the typical day in days. In the first two weeks all days count alike.
constexpr double kTypicalDays = 14;

}  // namespace

void TypicalDays::Append(double value, bool counts) {
  const std::size_t day = size() / kHoursPerDay;
  double typical = Next();
  if (counts) {
    const double weight = 1 / std::min(kTypicalDays, static_cast<double>(day + 1));
    typical += weight * (value - typical);
  }
  values_.push_back(value);
  typical_.push_back(typical);
}

void TypicalDays::Truncate(std::size_t size) {
  values_.resize(std::min(size, values_.size()));
  typical_.resize(values_.size());
}

double TypicalDays::Next() const {
  const std::size_t hour = size();
  if (hour >= kHoursPerDay) return typical_[hour - kHoursPerDay];
  return hour > 0 ? values_.back() : 0;
}

double TypicalDays::Level(std::size_t hour) const {
  EBB_CHECK(hour + 1 >= kHoursPerDay && hour < size());
  double sum = 0;
  for (std::size_t back = 0; back < kHoursPerDay; ++back) sum += typical_[hour - back];
  return sum > 0 ? sum / static_cast<double>(kHoursPerDay) : 1;
}

}  // namespace ebb::forecast
