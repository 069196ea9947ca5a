#include "testing/fake_feed.h"

namespace ebb::testing {

using std::chrono::hours;

namespace {

core::IntensitySeries Hourly(Time begin, const std::vector<double>& hourly_g_per_kwh) {
  std::vector<core::Sample> samples;
  for (const double value : hourly_g_per_kwh) {
    samples.push_back({{begin, begin + hours{1}}, {value}, core::SampleStatus::kMeasured});
    begin += hours{1};
  }
  return *core::IntensitySeries::Create(
      {"TEST", core::SignalKind::kAverage, core::Boundary::kLifecycle, "fake"}, samples);
}

}  // namespace

FakeFeed::FakeFeed(Time begin, const std::vector<double>& hourly_g_per_kwh)
    : truth_(Hourly(begin, hourly_g_per_kwh)) {}

void FakeFeed::Publish(Time begin, const std::vector<double>& hourly_g_per_kwh) {
  published_ = Hourly(begin, hourly_g_per_kwh);
}

Result<core::SignalView> FakeFeed::Observe(Time now, Duration horizon) {
  ++observations_;
  for (const Interval& outage : outages_) {
    if (outage.contains(now)) return Fail({ExitCode::kUnavailable, "source is down", "fake", ""});
  }
  const Time next = std::chrono::floor<hours>(now) + hours{1};
  core::SignalView view;
  view.now = now;
  view.known = truth_.Slice({history_ ? now - *history_ : truth_.span().begin, next});
  view.forecast = {now, "perfect foresight", truth_.Slice({next, now + horizon}), {}, {}};
  return view;
}

Result<core::IntensitySeries> FakeFeed::Believed(Interval interval) {
  return truth_.Slice(interval);
}

Result<core::IntensitySeries> FakeFeed::Settled(Interval interval) {
  if (!published_) return Believed(interval);
  return published_->Slice(interval);
}

Time FakeFeed::NextChange(Time now) const { return std::chrono::floor<hours>(now) + hours{1}; }

}  // namespace ebb::testing
