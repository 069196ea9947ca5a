#pragma once
// A feed over a model that gives one value per hour: the common part of the profile, NEO and
// constant feeds. Every value is kModelled; the model's expectation beyond the current hour is the
// forecast. One thread at a time.

#include <memory>
#include <string>
#include <vector>

#include "runtime/signal_feed.h"

namespace ebb::signals {

/// A value for every hour of all time, computed and pure.
class HourlyModel {
 public:
  virtual ~HourlyModel() = default;
  virtual core::SignalIdentity identity() const = 0;
  virtual std::string forecast_method() const = 0;
  /// Notes for the user, given once.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Hours begin this long after those of UTC (zones at half hours).
  virtual Duration hour_offset() const { return Duration{0}; }
  /// The value of the hour that begins at `hour`.
  virtual Intensity At(Time hour) const = 0;
  /// The value expected for `hour` as of the hour that begins at `now_hour`, which is earlier.
  virtual Intensity Expected(Time hour, Time now_hour) const = 0;
};

std::unique_ptr<runtime::SignalFeed> MakeHourlyModelFeed(std::unique_ptr<HourlyModel> model);

}  // namespace ebb::signals
