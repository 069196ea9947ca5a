#pragma once
// Histories for the tests of this room.

#include "base/check.h"
#include "core/signal/intensity.h"

namespace ebb::forecast {

inline const Time kBegin = *ParseTime("2022-01-03");
inline constexpr Duration kOneHour{std::chrono::hours{1}};

/// `count` steps from kBegin; `value_of` gives the value by number, negative for a gap.
template <typename ValueOf>
core::IntensitySeries Series(int count, ValueOf value_of, Duration step = kOneHour) {
  std::vector<core::Sample> samples;
  for (int i = 0; i < count; ++i) {
    const double value = value_of(i);
    if (value >= 0)
      samples.push_back({{kBegin + i * step, kBegin + (i + 1) * step}, Intensity{value}});
  }
  auto series = core::IntensitySeries::Create(
      {"Z", core::SignalKind::kAverage, core::Boundary::kUnknown, "test"}, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace ebb::forecast
