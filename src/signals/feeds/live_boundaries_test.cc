// Tests of the moments just after an interval has ended, when its successor comes late, or only as
// the provider's own forecast.
#include <gtest/gtest.h>

#include <map>

#include "signals/feeds/live_signal.h"

namespace ebb::signals {
namespace {

using core::Sample;
using core::SampleStatus;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kDay = *ParseTime("2026-05-06T00:00Z");

double ValueOf(Time begin) {
  return 100 + static_cast<double>(begin.time_since_epoch().count() / 60'000 % 997);
}

// A source that publishes each interval's value some time after its beginning, and may have a
// forecast that covers the running interval.
struct Source {
  Duration step = minutes{5};
  Duration published_after{0};
  bool has_forecast = false;
  Interval outage{};
  int asked = 0;
};

class StepProvider final : public Provider {
 public:
  explicit StepProvider(Source& source) : source_(source) {}
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<Reading> Read(const Question& question) override {
    ++source_.asked;
    if (source_.outage.contains(question.now))
      return Fail({ExitCode::kUnavailable, "cannot resolve host", "https://x", ""});
    const Duration step = source_.step;
    const Time running = kDay + (question.now - kDay) / step * step;
    Reading reading;
    for (Time begin = running - 12 * step; begin + source_.published_after <= question.now;
         begin += step)
      reading.known.push_back({{begin, begin + step}, {ValueOf(begin)}, SampleStatus::kMeasured});
    if (!source_.has_forecast || !question.wants_forecast) return reading;
    for (int i = 0; i < 24; ++i)
      reading.forecast.push_back({{running + i * step, running + (i + 1) * step},
                                  {ValueOf(running + i * step) + 1},
                                  SampleStatus::kForecast});
    return reading;
  }

 private:
  Source& source_;
  const std::string name_ = "steps";
  const core::SignalIdentity identity_{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                       "steps"};
};

LiveSignal SignalOf(Source& source) {
  return {std::make_unique<StepProvider>(source), LiveOptions{}};
}

constexpr int kHours = 3;

// Counts the seconds in which the value at hand was not that of the running interval.
int SecondsBehind(Source& source) {
  LiveSignal signal = SignalOf(source);
  int behind = 0;
  for (Time now = kDay + seconds{143}; now < kDay + hours{kHours}; now += seconds{1}) {
    const auto view = ViewAt(*signal.Refresh(now), now, {});
    const Time begin = kDay + (now - kDay) / source.step * source.step;
    behind += !view || !view->Current() || view->Current()->intensity.g_per_kwh != ValueOf(begin);
  }
  return behind;
}

TEST(LiveBoundaries, TheNextIntervalIsAskedForWhenItBegins) {
  Source source;
  const int behind = SecondsBehind(source);
  EXPECT_LE(behind, kHours * 12 * 6) << "six seconds of each five minutes";
  EXPECT_LE(source.asked, kHours * 12 + 2) << "and no question more";
}

TEST(LiveBoundaries, AValueThatComesLateIsThereSoonAfter) {
  for (const Duration late :
       {Duration{seconds{20}}, Duration{seconds{70}}, Duration{seconds{150}}}) {
    Source source;
    source.published_after = late;
    const int intervals = kHours * 12;
    const int behind = SecondsBehind(source);
    EXPECT_LE(behind, 2 * intervals * Seconds(late) + 6 * intervals) << FormatDuration(late);
    EXPECT_LE(source.asked, 3 * intervals) << FormatDuration(late);
  }
}

TEST(LiveBoundaries, ASourceThatHasOnlyThePastIsAskedAsEver) {
  Source source;
  source.step = hours{1};
  source.published_after = hours{2} + minutes{17};
  SecondsBehind(source);
  EXPECT_EQ(source.asked, kHours * 12);
}

TEST(LiveBoundaries, TheProvidersForecastOfTheRunningIntervalComesBeforeHolding) {
  Source source;
  source.step = minutes{30};
  source.published_after = minutes{30};  // after the interval's end
  source.has_forecast = true;
  LiveSignal signal = SignalOf(source);
  const Time now = kDay + minutes{31};
  const auto snapshot = signal.Refresh(now);
  const auto view = ViewAt(*snapshot, now, {});
  ASSERT_TRUE(view && view->Current());
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, ValueOf(kDay + minutes{30}) + 1);
  EXPECT_EQ(view->Current()->status, SampleStatus::kForecast) << "never taken for a reading";
  EXPECT_EQ(StateAt(*snapshot, now, {}).freshness, Freshness::kFresh);
  EXPECT_EQ(view->forecast.series.span().begin, view->known.span().end);
  const auto accounted = BelievedOver(*snapshot, {kDay, kDay + hours{2}}, {});
  EXPECT_EQ(accounted.At(kDay)->status, SampleStatus::kMeasured);
  EXPECT_EQ(accounted.At(now)->intensity, view->Current()->intensity);
  EXPECT_EQ(accounted.At(kDay + minutes{61})->status, SampleStatus::kForecast);
}

TEST(LiveBoundaries, AForecastFromBeforeTheLastValueDoesNot) {
  Source source;
  source.has_forecast = true;
  LiveSignal signal = SignalOf(source);
  signal.Refresh(kDay);
  source.has_forecast = false;
  Time now = kDay;
  for (; now < kDay + minutes{20}; now += seconds{5}) signal.Refresh(now);
  source.outage = {now, now + hours{1}};
  const auto snapshot = signal.Refresh(now + seconds{10});
  const auto view = ViewAt(*snapshot, now + seconds{10}, {});
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, ValueOf(kDay + minutes{15})) << "held";
  EXPECT_EQ(view->Current()->status, SampleStatus::kEstimated);
}

TEST(LiveBoundaries, AnOutageIsNoFreshForecast) {
  Source source;
  source.step = minutes{30};
  source.published_after = minutes{30};
  source.has_forecast = true;
  LiveSignal signal = SignalOf(source);
  signal.Refresh(kDay + minutes{31});
  source.outage = {kDay + minutes{32}, kDay + hours{9}};
  const auto snapshot = signal.Refresh(kDay + minutes{40});
  EXPECT_EQ(StateAt(*snapshot, kDay + minutes{40}, {}).freshness, Freshness::kForecast);
  EXPECT_TRUE(ViewAt(*snapshot, kDay + minutes{40}, {}));
}

TEST(LiveBoundaries, SettledIsOnlyWhatWasPublishedForIntervalsThatAreOver) {
  Source source;
  source.has_forecast = true;
  LiveSignal signal = SignalOf(source);
  const auto snapshot = signal.Refresh(kDay + minutes{12});
  const auto settled = SettledOver(*snapshot, {kDay - minutes{30}, kDay + hours{9}});
  EXPECT_EQ(settled.span().begin, kDay - minutes{30});
  EXPECT_EQ(settled.span().end, kDay + minutes{10}) << "the one until 00:15 still runs";
  EXPECT_TRUE(SettledOver(*snapshot, {kDay + hours{1}, kDay + hours{2}}).empty());
}

}  // namespace
}  // namespace ebb::signals
