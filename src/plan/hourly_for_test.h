#pragma once
// Signals by the hour, for tests.

#include <vector>

#include "core/signal/intensity.h"

namespace ebb::plan::testing {

/// Measured values, one per hour from `begin` on.
inline core::IntensitySeries Hourly(Time begin, const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  for (const double value : values) {
    const Time end = begin + std::chrono::hours{1};
    samples.push_back({{begin, end}, {value}, core::SampleStatus::kMeasured});
    begin = end;
  }
  return *core::IntensitySeries::Create(
      {"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle, "test"}, samples);
}

}  // namespace ebb::plan::testing
