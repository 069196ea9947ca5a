#pragma once
// A signal feed over hourly values given by the test, with outages: hours in which the source
// cannot be reached.

#include <vector>

#include "runtime/signal_feed.h"

namespace ebb::testing {

class FakeFeed final : public runtime::SignalFeed {
 public:
  FakeFeed(Time begin, const std::vector<double>& hourly_g_per_kwh);

  /// Observe fails while `now` lies in `outage`.
  void AddOutage(Interval outage) { outages_.push_back(outage); }
  /// Observe returns no more of the past than this; by default, all of it.
  void KeepHistory(Duration history) { history_ = history; }
  /// From now on Settled returns these hourly values from `begin` on, as for a source that revises.
  void Publish(Time begin, const std::vector<double>& hourly_g_per_kwh);
  int observations() const { return observations_; }

  const core::SignalIdentity& identity() const override { return truth_.identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Believed(Interval interval) override;
  Result<core::IntensitySeries> Settled(Interval interval) override;
  bool Revises() const override { return published_.has_value(); }
  Time NextChange(Time now) const override;

 private:
  core::IntensitySeries truth_;
  std::vector<Interval> outages_;
  std::optional<Duration> history_;
  std::optional<core::IntensitySeries> published_;
  int observations_ = 0;
};

}  // namespace ebb::testing
