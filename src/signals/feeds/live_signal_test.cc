#include "signals/feeds/live_signal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "forecast/ridge_forecaster.h"
#include "platform/file_lock.h"
#include "runtime/gate_loop.h"
#include "signals/feeds/signal_cache.h"
#include "testing/fake_clock.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using core::SampleStatus;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::Not;

const Time kDay = *ParseTime("2026-05-06T00:00Z");

// The true intensity: high by day, low from 22:00 to 06:00.
double TrueValue(Time hour) {
  const auto of_day = std::chrono::duration_cast<hours>(hour - std::chrono::floor<days>(hour));
  return of_day.count() >= 22 || of_day.count() < 6 ? 100 : 400;
}

// A source with an hour's values, two weeks of past, and a day's forecast if the test asks for one.
// Unreachable during outages.
struct Source {
  int asked = 0;
  Time known_until{};  // known_until of the latest question
  std::vector<Interval> outages;
  Duration past{days{14}};  // the past in its first answer
  bool has_forecast = false;
  double forecast_offset = 0;  // error of its forecast
  bool refuses_forecast = false;
  int asked_for_forecast = 0;
  SampleStatus status = SampleStatus::kMeasured;
};

class FakeProvider final : public Provider {
 public:
  explicit FakeProvider(Source& source) : source_(source) {}
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<Reading> Read(const Question& question) override {
    ++source_.asked;
    source_.known_until = question.known_until;
    source_.asked_for_forecast += question.wants_forecast ? 1 : 0;
    for (const Interval& outage : source_.outages)
      if (outage.contains(question.now))
        return Fail({ExitCode::kUnavailable, "cannot resolve host", "https://x", ""});
    Reading reading;
    const Time last = std::chrono::floor<hours>(question.now);
    Time hour =
        std::chrono::floor<hours>(std::max(question.known_until, question.now - source_.past));
    for (; hour <= last; hour += hours{1})
      reading.known.push_back(
          {{hour, hour + hours{1}}, Intensity{TrueValue(hour)}, source_.status});
    if (source_.refuses_forecast && question.wants_forecast)
      reading.forecast_failure =
          Error{ExitCode::kUnavailable, "not in your plan", "https://x", "another plan"};
    if (!source_.has_forecast) return reading;
    for (int i = 1; i <= 24; ++i)
      reading.forecast.push_back({{last + hours{i}, last + hours{i + 1}},
                                  Intensity{TrueValue(last + hours{i}) + source_.forecast_offset},
                                  SampleStatus::kForecast});
    return reading;
  }

 private:
  Source& source_;
  const std::string name_ = "fake";
  const core::SignalIdentity identity_{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                       "fake source"};
};

LiveSignal Signal(Source& source, std::string cache = "") {
  LiveOptions options;
  options.cache_directory = std::move(cache);
  return {std::make_unique<FakeProvider>(source), options};
}

// The live signal without its thread, on a clock that the test steps.
class SteppedFeed final : public runtime::SignalFeed {
 public:
  SteppedFeed(Source& source, OutageRules rules) : signal_(Signal(source)), rules_(rules) {}
  const core::SignalIdentity& identity() const override { return snapshot_->identity; }
  Result<core::SignalView> Observe(Time now, Duration) override {
    snapshot_ = signal_.Refresh(now);
    return ViewAt(*snapshot_, now, rules_);
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return BelievedOver(*snapshot_, interval, rules_);
  }
  Time NextChange(Time now) const override { return now + minutes{5}; }

 private:
  LiveSignal signal_;
  OutageRules rules_;
  std::shared_ptr<const LiveSnapshot> snapshot_ = std::make_shared<LiveSnapshot>();
};

TEST(LiveSignal, AsksOncePerRefreshIntervalHoweverManyLook) {
  Source source;
  LiveSignal signal = Signal(source);
  for (int look = 0; look < 10'000; ++look) signal.Refresh(kDay + Duration{look});
  EXPECT_EQ(source.asked, 1);
  for (int minute = 0; minute < 60; ++minute) signal.Refresh(kDay + minutes{minute});
  EXPECT_EQ(source.asked, 12);
}

TEST(LiveSignal, AClockThatWasSetBackIsNotWaitedFor) {
  Source source;
  LiveSignal signal = Signal(source);
  signal.Refresh(kDay + days{2});
  const auto snapshot = signal.Refresh(kDay);
  EXPECT_EQ(source.asked, 2);
  EXPECT_EQ(snapshot->answered_at, kDay);
  EXPECT_EQ(snapshot->next_question, kDay + minutes{5});
  signal.Refresh(kDay + minutes{1});
  EXPECT_EQ(source.asked, 2);
}

TEST(LiveSignal, AnEstimateThatLosesToAMeasuredValueCausesNoMoreQuestions) {
  Source source;
  LiveSignal signal = Signal(source);
  signal.Refresh(kDay);
  source.status = SampleStatus::kEstimated;
  for (int second = 0; second < 3600; second += 10) {
    const auto snapshot = signal.Refresh(kDay + std::chrono::seconds{second});
    EXPECT_EQ(snapshot->known.At(kDay)->status, SampleStatus::kMeasured);
  }
  EXPECT_EQ(source.asked, 12);
}

TEST(LiveSignal, ASourceThatOnlyEstimatesIsNotAskedForItsWholePastEveryTime) {
  Source source;
  source.status = SampleStatus::kEstimated;
  LiveSignal signal = Signal(source);
  signal.Refresh(kDay);
  EXPECT_LT(source.known_until, kDay - days{14});
  signal.Refresh(kDay + minutes{5});
  EXPECT_GE(source.known_until, kDay - hours{1});
}

// Typical days that are high by night, the opposite of the source.
std::shared_ptr<const forecast::TypicalYear> TypicalYearForTest() {
  auto year = std::make_shared<forecast::TypicalYear>();
  for (auto& season : year->g_per_kwh)
    for (std::size_t hour = 0; hour < season.size(); ++hour)
      season[hour] = hour >= 22 || hour < 6 ? 300 : 200;
  year->day_to_day_sd_g_per_kwh = 30;
  return year;
}

TEST(LiveSignal, ForecastsOfTheFirstDayAreTypicalDays) {
  Source source;
  source.past = hours{3};
  LiveOptions options;
  options.cache_directory = "";
  options.typical = TypicalYearForTest();
  LiveSignal signal(std::make_unique<FakeProvider>(source), options);
  const Time noon = kDay + hours{12};
  const auto first = signal.Refresh(noon);
  EXPECT_EQ(first->forecast.method, forecast::kTypicalMethod);
  const auto at = [](const LiveSnapshot& snapshot, Time time) {
    return snapshot.forecast.series.At(time)->intensity.g_per_kwh;
  };
  EXPECT_GT(at(*first, kDay + hours{23}), at(*first, kDay + hours{20}) + 50);
}

// For weeks the typical days expected the opposite of the values that came.
TEST(LiveSignal, TypicalDaysAreLeftForTheRegressionThatIsCloser) {
  Source source;
  source.past = days{110};
  LiveOptions options;
  options.cache_directory = "";
  options.typical = TypicalYearForTest();
  LiveSignal signal(std::make_unique<FakeProvider>(source), options);
  const auto snapshot = signal.Refresh(kDay);
  EXPECT_EQ(snapshot->forecast.method, forecast::kRidgeMethod);
}

TEST(LiveSignal, FreshThenLastKnownThenForecastThenMissing) {
  Source source;
  source.outages = {{kDay + minutes{30}, kDay + days{9}}};
  LiveSignal signal = Signal(source);
  const OutageRules rules{hours{1}, hours{6}};
  const auto at = [&](Duration after) {
    return StateAt(*signal.Refresh(kDay + after), kDay + after, rules).freshness;
  };
  EXPECT_EQ(at(minutes{5}), Freshness::kFresh);
  EXPECT_EQ(at(minutes{59}), Freshness::kFresh) << "the hour's value holds for its hour";
  EXPECT_EQ(at(minutes{60}), Freshness::kLastKnown);
  EXPECT_EQ(at(minutes{119}), Freshness::kLastKnown);
  EXPECT_EQ(at(minutes{120}), Freshness::kForecast) << "ours, from two weeks of history";
  EXPECT_EQ(at(hours{6}), Freshness::kMissing);
  const auto snapshot = signal.Refresh(kDay + hours{2});
  const auto view = ViewAt(*snapshot, kDay + hours{2}, rules);
  EXPECT_EQ(view->Current()->status, SampleStatus::kForecast) << "never taken for a reading";
  const auto missing = ViewAt(*snapshot, kDay + hours{7}, rules);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().Message(), HasSubstr("cannot resolve host"));
  EXPECT_THAT(missing.error().Message(), HasSubstr("ended 6h 0m ago"));
}

TEST(LiveSignal, WhatStoodInIsAccountedAsSuch) {
  Source source;
  source.outages = {{kDay + minutes{30}, kDay + days{9}}};
  LiveSignal signal = Signal(source);
  const auto snapshot = signal.Refresh(kDay);
  const auto settled = BelievedOver(*snapshot, {kDay, kDay + hours{4}}, {});
  EXPECT_EQ(settled.At(kDay)->status, SampleStatus::kMeasured);
  EXPECT_EQ(settled.At(kDay + minutes{90})->status, SampleStatus::kEstimated);
  EXPECT_EQ(settled.At(kDay + minutes{150})->status, SampleStatus::kForecast);
  EXPECT_NEAR(settled.Mean({kDay, kDay + hours{4}})->coverage, 1, 1e-9);
}

TEST(LiveSignal, AnHourThatWasMissedIsFilledInAfterwards) {
  Source source;
  source.outages = {{kDay + hours{1}, kDay + hours{4}}};
  LiveSignal signal = Signal(source);
  for (int minute = 0; minute < 300; minute += 5) signal.Refresh(kDay + minutes{minute});
  const auto snapshot = signal.Refresh(kDay + hours{5});
  EXPECT_EQ(snapshot->known.At(kDay + hours{2})->status, SampleStatus::kMeasured);
}

TEST(LiveSignal, RemembersEnoughForItsOwnRegressionAndNotForEver) {
  Source source;
  LiveSignal signal = Signal(source);
  std::shared_ptr<const LiveSnapshot> snapshot;
  Time now = kDay;
  for (int day = 0; day < 75; ++day, now += days{1}) snapshot = signal.Refresh(now);
  EXPECT_THAT(snapshot->forecast.method, HasSubstr("regression"));
  for (int day = 75; day < 500; ++day, now += days{1}) snapshot = signal.Refresh(now);
  EXPECT_GE(now - snapshot->known.span().begin, days{400});
  EXPECT_LE(now - snapshot->known.span().begin, days{430});
}

TEST(LiveSignal, TheProvidersForecastComesFirstAndOursBeyondIt) {
  Source source;
  source.has_forecast = true;
  LiveSignal signal = Signal(source);
  const auto view = ViewAt(*signal.Refresh(kDay), kDay, {});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->forecast.series.At(kDay + hours{23})->intensity.g_per_kwh,
            TrueValue(kDay + hours{23}));
  EXPECT_THAT(view->forecast.method, HasSubstr("the provider's, then"));
  EXPECT_GE(view->forecast.series.span().end, kDay + hours{90});
  EXPECT_EQ(view->forecast.series.span().begin, view->known.span().end);
}

// Refreshes more than twice a day, so that each forecast is kept as soon as it may be.
std::shared_ptr<const LiveSnapshot> Follow(LiveSignal& signal, Interval interval) {
  std::shared_ptr<const LiveSnapshot> snapshot;
  for (Time now = interval.begin; now < interval.end; now += hours{6})
    snapshot = signal.Refresh(now);
  return snapshot;
}

TEST(LiveSignal, AProviderIsFollowedWhileItsForecastsAreTheBetterOnes) {
  for (const double offset : {0.0, 60.0}) {
    Source source;
    source.has_forecast = true;
    source.forecast_offset = offset;
    LiveSignal signal = Signal(source);
    const auto early = Follow(signal, {kDay, kDay + days{3}});
    EXPECT_THAT(early->forecast.method, HasSubstr("the provider's, then"));
    EXPECT_THAT(early->forecast.method, Not(HasSubstr("mean error"))) << "too few rows";
    const Time now = kDay + days{60};
    Follow(signal, {kDay + days{3}, now});
    const auto snapshot = signal.Refresh(now);
    EXPECT_EQ(snapshot->forecast.method.starts_with("the provider's, then"), offset == 0);
    EXPECT_THAT(
        snapshot->forecast.method,
        HasSubstr(offset == 0
                      ? "(mean error over the last four weeks: the provider's 0 g/kWh, ours "
                      : "(mean error over the last four weeks: the provider's 60 g/kWh, ours "));
    const double next = snapshot->forecast.series.At(now + hours{3})->intensity.g_per_kwh;
    EXPECT_NEAR(next, TrueValue(now + hours{3}), 20) << "the better one of both";
  }
}

// --- an outage must neither release jobs early nor forget any -----------------------------------

struct Quiet final : runtime::GateObserver {
  Status OnDecision(const core::GateDecision&, const runtime::GateObservation&) override {
    return {};
  }
  void OnTick(Time) override {}
  Status OnSkippedWait(const core::SkippedWait&) override { return {}; }
};

core::GateDecision Gate(Source& source, Time submitted, Duration max_wait, OutageRules rules) {
  testing::FakeClock wall(submitted);
  runtime::GridClock clock(wall, {});
  SteppedFeed feed(source, rules);
  Quiet quiet;
  const auto policy = plan::MakeThreshold(Intensity{200});
  const auto result = runtime::WaitForStart({submitted, submitted + max_wait, hours{1}}, *policy,
                                            feed, clock, quiet);
  return result->decision;
}

TEST(LiveSignalOutage, OfTwoHoursReleasesNoJobEarlyAndForgetsNone) {
  // 72 jobs, one every 20 minutes; an outage of two hours begins anywhere in the day.
  const OutageRules rules[] = {
      {}, {hours{1}, Duration::zero()}, {Duration::zero(), Duration::zero()}};
  for (const OutageRules& rule : rules) {
    for (int begin = 0; begin < 24; begin += 3) {
      for (int job = 0; job < 72; job += 3) {
        Source source;
        source.outages = {{kDay + hours{begin}, kDay + hours{begin + 2}}};
        const auto decision = Gate(source, kDay + minutes{20 * job}, hours{30}, rule);
        ASSERT_EQ(decision.action, core::GateAction::kStart) << "no job is forgotten";
        EXPECT_EQ(TrueValue(decision.at), 100) << "started dirty at " << FormatTime(decision.at);
      }
    }
  }
}

TEST(LiveSignalOutage, ThatNeverEndsStartsEveryJobAtItsLatestStartAndNotBefore) {
  Source source;
  source.outages = {{kDay, kDay + days{9}}};
  const auto decision = Gate(source, kDay + hours{8}, hours{5}, {});
  EXPECT_EQ(decision.at, kDay + hours{13});
  EXPECT_EQ(decision.reason.rule, core::GateRule::kLatestStart);
}

// --- the cache on disk ---------------------------------------------------------------------------

class Cache : public ::testing::Test {
 protected:
  // Another process that asks once, and ends.
  void Ask(Source& source, Time now) const {
    LiveSignal signal = Signal(source, directory_);
    signal.Refresh(now);
    signal.Keep();
  }
  const std::filesystem::path directory_ = ScratchDirectory("cache") / "not-yet-there";
};

TEST_F(Cache, ASecondProcessDoesNotAskWithinTheInterval) {
  Source source;
  LiveSignal first = Signal(source, directory_);
  first.Refresh(kDay);
  first.Keep();
  LiveSignal second = Signal(source, directory_);
  const auto snapshot = second.Refresh(kDay + minutes{4});
  EXPECT_EQ(source.asked, 1);
  EXPECT_EQ(snapshot->origin, "cached on disk");
  EXPECT_EQ(second.next_question(), kDay + minutes{5});
  second.Refresh(kDay + minutes{5});
  second.Keep();
  first.Refresh(kDay + minutes{6});
  EXPECT_EQ(source.asked, 2) << "the first takes what the second asked";
}

TEST_F(Cache, AValueIsToldBeforeItIsWrittenAndNobodyElseAsksMeanwhile) {
  Source source;
  LiveSignal first = Signal(source, directory_);
  EXPECT_TRUE(first.Refresh(kDay)->answered_at);
  LiveSignal second = Signal(source, directory_);
  EXPECT_FALSE(second.Refresh(kDay + std::chrono::seconds{1})->asked_at);
  first.Keep();
  EXPECT_EQ(second.Refresh(kDay + std::chrono::seconds{2})->origin, "cached on disk");
  EXPECT_EQ(source.asked, 1);
}

TEST_F(Cache, AForecastThatWasRefusedIsNotAskedForByTheNextProcess) {
  Source source;
  source.refuses_forecast = true;
  Ask(source, kDay);
  LiveSignal second = Signal(source, directory_);
  const auto snapshot = second.Refresh(kDay + minutes{5});
  second.Keep();
  EXPECT_EQ(source.asked, 2);
  EXPECT_EQ(source.asked_for_forecast, 1) << "it is asked for again after half an hour";
  ASSERT_TRUE(snapshot->forecast_failure);
  EXPECT_THAT(snapshot->forecast_failure->Message(), HasSubstr("not in your plan"));
  Ask(source, kDay + minutes{31});
  EXPECT_EQ(source.asked_for_forecast, 2);
}

TEST_F(Cache, TheRecordOfForecastsIsKeptOverARestart) {
  Source source;
  source.has_forecast = true;
  source.forecast_offset = 60;
  const Time now = kDay + days{40};
  {
    LiveSignal before = Signal(source, directory_);
    Follow(before, {kDay, now});
    before.Keep();
  }
  source.outages = {{now, now + days{9}}};
  LiveSignal after = Signal(source, directory_);
  const auto snapshot = after.Refresh(now + minutes{1});
  EXPECT_THAT(snapshot->forecast.method, HasSubstr("the provider's 60 g/kWh, ours"));
  EXPECT_FALSE(snapshot->forecast.method.starts_with("the provider's"));
}

TEST_F(Cache, AProcessThatStartsInAnOutageKnowsWhatTheOneBeforeKnew) {
  Source source;
  Ask(source, kDay);
  source.outages = {{kDay + minutes{1}, kDay + days{9}}};
  LiveSignal after = Signal(source, directory_);
  const auto snapshot = after.Refresh(kDay + hours{1} + minutes{30});
  EXPECT_TRUE(snapshot->failure);
  const auto view = ViewAt(*snapshot, kDay + hours{1} + minutes{30}, {});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->Current()->status, SampleStatus::kEstimated);
  EXPECT_FALSE(view->forecast.series.empty());
}

TEST_F(Cache, ADamagedFileIsIgnoredSaidAndWrittenAnew) {
  Source source;
  Ask(source, kDay);
  for (const auto& file : std::filesystem::directory_iterator(directory_))
    std::ofstream(file.path()) << "{\"schema\":\"ebb.signal-c";
  LiveSignal again = Signal(source, directory_);
  EXPECT_TRUE(again.Refresh(kDay + minutes{1})->answered_at);
  EXPECT_EQ(source.asked, 2);
  const auto notes = again.TakeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("ignored"));
  again.Keep();
  LiveSignal third = Signal(source, directory_);
  third.Refresh(kDay + minutes{2});
  EXPECT_EQ(source.asked, 2);
}

TEST_F(Cache, AStampFromTheFutureDoesNotSilenceUs) {
  Source source;
  Ask(source, kDay + days{1});
  LiveSignal earlier = Signal(source, directory_);
  EXPECT_TRUE(earlier.Refresh(kDay)->answered_at);
  EXPECT_EQ(source.asked, 2);
}

TEST_F(Cache, WhileAnotherProcessAsksThisOneWaitsForWhatItWrites) {
  Source source;
  const FakeProvider provider(source);
  std::filesystem::create_directories(directory_);
  const auto path = CachePath(directory_, provider.cache_key(), provider.identity());
  LiveSignal waiting = Signal(source, directory_);
  {
    // A lock on a descriptor of its own, as another process would hold.
    const auto asking = platform::FileLock::Take(path.string() + ".lock");
    ASSERT_TRUE(asking);
    EXPECT_FALSE(waiting.Refresh(kDay)->asked_at);
    EXPECT_EQ(waiting.next_question(), kDay + std::chrono::seconds{1});
    EXPECT_EQ(source.asked, 0);
  }
  Ask(source, kDay);
  EXPECT_EQ(waiting.Refresh(kDay + std::chrono::seconds{1})->origin, "cached on disk");
  EXPECT_EQ(source.asked, 1);
}

// A provider that asks slowly, so that all processes want to ask at the same time.
class SlowProvider final : public Provider {
 public:
  SlowProvider(std::atomic<int>& asked) : asked_(asked) {}
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<Reading> Read(const Question& question) override {
    ++asked_;
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    Reading reading;
    const Time hour = std::chrono::floor<hours>(question.now);
    reading.known = {{{hour, hour + hours{1}}, {300}}};
    return reading;
  }

 private:
  std::atomic<int>& asked_;
  const std::string name_ = "slow";
  const core::SignalIdentity identity_{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                       "slow source"};
};

TEST_F(Cache, OfManyThatStartAtOnceOneAsks) {
  std::atomic<int> asked = 0, answered = 0;
  std::vector<std::thread> processes;
  for (int i = 0; i < 8; ++i)
    processes.emplace_back([&] {
      LiveOptions options;
      options.cache_directory = directory_;
      LiveSignal signal(std::make_unique<SlowProvider>(asked), options);
      Time now = kDay;
      for (int look = 0; look < 500; ++look, now += std::chrono::seconds{1}) {
        if (signal.Refresh(now)->answered_at) break;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
      }
      answered += signal.Refresh(now)->answered_at.has_value();
    });
  for (std::thread& process : processes) process.join();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(answered, 8);
}

// 100 days of intensity without a pattern: only the driver tells tomorrow's values.
double WindOf(Time hour) {
  const auto day = std::chrono::floor<days>(hour).time_since_epoch() / days{1};
  return static_cast<double>(day * 7919 % 13);
}

class WindyProvider final : public Provider {
 public:
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<Reading> Read(const Question& question) override {
    Reading reading;
    const Time last = std::chrono::floor<hours>(question.now);
    for (Time hour = last - days{100}; hour <= last; hour += hours{1})
      reading.known.push_back(
          {{hour, hour + hours{1}}, Intensity{400 - 10 * WindOf(hour)}, SampleStatus::kMeasured});
    return reading;
  }

 private:
  const std::string name_ = "windy";
  const core::SignalIdentity identity_{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                       "windy source"};
};

std::shared_ptr<const Drivers> WindToldUntil(Time end) {
  auto told = std::make_shared<std::vector<forecast::Driver>>(1);
  forecast::Driver* const wind = &told->front();
  wind->name = "wind";
  wind->begin = kDay - days{100};
  for (Time hour = wind->begin; hour < end; hour += hours{1})
    wind->hours.push_back(
        forecast::DriverHour{WindOf(hour), std::chrono::floor<days>(hour) - hours{12}});
  return std::make_shared<const Drivers>(Drivers{std::move(told)});
}

TEST(LiveSignal, DriversThatBecomeKnownChangeTheForecast) {
  LiveSignal signal(std::make_unique<WindyProvider>(), {});
  const Time now = kDay + hours{13};
  const Time noon = kDay + days{1} + hours{12};
  const auto at_noon = [&](const LiveSnapshot& snapshot) {
    return snapshot.forecast.series.At(noon)->intensity.g_per_kwh;
  };
  const auto error_tomorrow = [&](const LiveSnapshot& snapshot) {
    return std::abs(at_noon(snapshot) - (400 - 10 * WindOf(noon)));
  };
  const auto without = signal.Refresh(now);
  EXPECT_THAT(without->forecast.method, Not(HasSubstr("wind")));
  signal.Use(WindToldUntil(kDay + days{2}));
  const auto with = signal.Refresh(now + minutes{1});
  EXPECT_THAT(with->forecast.method, HasSubstr("zone's own past and wind"));
  EXPECT_THAT(with->forecast.method, HasSubstr(" g/kWh with wind, "));
  EXPECT_LT(error_tomorrow(*with), error_tomorrow(*without) / 2);
  // Forecasts without the driver are as before.
  signal.Use(std::make_shared<const Drivers>(
      Drivers{std::make_shared<const std::vector<forecast::Driver>>()}));
  const auto after = signal.Refresh(now + minutes{2});
  EXPECT_EQ(at_noon(*after), at_noon(*without));
}

}  // namespace
}  // namespace ebb::signals
