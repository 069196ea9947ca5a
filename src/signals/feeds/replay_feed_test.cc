#include "signals/feeds/replay_feed.h"

#include "base/random.h"
#include "signals/feeds/live_signal.h"
#include "testing/source_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kDay = *ParseTime("2023-05-01");
constexpr Duration kTwoDays{days{2}};

// `count` hours from kDay; `value_of` gives the value by hour number, negative for a missing row.
template <typename ValueOf>
std::string Csv(int count, ValueOf value_of) {
  std::string text = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < count; ++hour) {
    if (value_of(hour) >= 0)
      text += FormatTime(kDay + hours{hour}) + "," + std::to_string(value_of(hour)) + "\n";
  }
  return text;
}

using core::Publication;

// A feed that knows each value as it begins, except in tests of a lag.
std::unique_ptr<ReplayFeed> Feed(const std::string& csv, ForecastMode mode = ForecastMode::kAuto,
                                 std::optional<Publication> publication = Publication::AtBegin()) {
  auto trace = ParseTrace(csv, "Z_test_2023_hourly_lifecycle.csv");
  EXPECT_TRUE(trace) << trace.error().Message();
  auto feed = ReplayFeed::Create(*std::move(trace), {mode, publication, {}});
  EXPECT_TRUE(feed) << feed.error().Message();
  return *std::move(feed);
}

int Daily(int hour) { return 100 + 10 * (hour % 24); }

TEST(ReplayFeed, KnowsThePastAndTheCurrentHourAndNothingOfTheFuture) {
  const auto feed = Feed(Csv(48, [](int hour) { return 100 + hour; }));
  const auto view = feed->Observe(kDay + minutes{90}, Duration{hours{20}});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 101);
  EXPECT_EQ(view->known.span(), (Interval{kDay, kDay + hours{2}}));
  EXPECT_EQ(view->forecast.method, "the latest value");
  EXPECT_EQ(view->At(kDay + hours{15})->intensity.g_per_kwh, 101);
}

TEST(ReplayFeed, CarriesOnlyARecentPast) {
  const auto feed = Feed(Csv(24 * 40, Daily));
  const auto view = feed->Observe(kDay + days{30}, kTwoDays);
  EXPECT_EQ(view->known.span().begin, kDay + days{15});
}

TEST(ReplayFeed, OutsideTheTraceNothingIsKnown) {
  const auto feed = Feed(Csv(24, Daily));
  EXPECT_EQ(feed->Observe(kDay - hours{1}, kTwoDays)->Current(), nullptr);
  EXPECT_TRUE(feed->Observe(kDay - hours{1}, kTwoDays)->known.empty());
  EXPECT_EQ(feed->Observe(kDay + hours{24}, kTwoDays)->Current(), nullptr);
  EXPECT_EQ(*feed->Coverage(), (Interval{kDay, kDay + hours{24}}));
}

TEST(ReplayFeed, TheNextChangeIsTheNextRow) {
  const auto feed = Feed(Csv(24, [](int hour) { return hour == 5 || hour == 6 ? -1 : 100; }));
  EXPECT_EQ(feed->NextChange(kDay + minutes{90}), kDay + hours{2});
  EXPECT_EQ(feed->NextChange(kDay + hours{2}), kDay + hours{3});
  EXPECT_EQ(feed->NextChange(kDay + minutes{310}), kDay + hours{7}) << "in a gap: its end";
  EXPECT_EQ(feed->NextChange(kDay - days{3}), kDay);
  EXPECT_GT(feed->NextChange(kDay + days{9}), kDay + days{9});
}

TEST(ReplayFeed, SettledIsTheTraceItself) {
  const auto feed = Feed(Csv(24, [](int hour) { return hour == 2 ? -1 : 100 + hour; }));
  const auto settled = feed->Believed({kDay + minutes{90}, kDay + minutes{210}});
  ASSERT_TRUE(settled);
  ASSERT_EQ(settled->samples().size(), 2u);
  EXPECT_EQ(settled->samples()[1].intensity.g_per_kwh, 103);
}

TEST(ReplayFeed, HistoryRepeatsAPerfectlyDailySignal) {
  const auto feed = Feed(Csv(24 * 20, Daily), ForecastMode::kHistory);
  const auto view = feed->Observe(kDay + days{10} + minutes{30}, kTwoDays);
  EXPECT_EQ(view->forecast.method, "yesterday and last week");
  EXPECT_EQ(view->forecast.series.span(),
            (Interval{kDay + days{10} + hours{1}, kDay + days{12} + minutes{30}}));
  for (const core::Sample& sample : view->forecast.series.samples()) {
    const auto hour = static_cast<int>((sample.interval.begin - kDay) / hours{1});
    EXPECT_NEAR(sample.intensity.g_per_kwh, Daily(hour), 1e-9);
    EXPECT_EQ(sample.status, core::SampleStatus::kForecast);
  }
}

TEST(ReplayFeed, HistoryStepsOverGapsAndTakesWhatThereIs) {
  // The second day is missing, and there is no week of past.
  const auto feed = Feed(Csv(24 * 4, [](int hour) { return hour / 24 == 1 ? -1 : Daily(hour); }),
                         ForecastMode::kHistory);
  const auto view = feed->Observe(kDay + days{2}, Duration{hours{24}});
  EXPECT_EQ(view->forecast.series.samples().size(), 23u);
  EXPECT_NEAR(view->At(kDay + days{2} + hours{7})->intensity.g_per_kwh, Daily(7), 1e-9);
}

// The law that makes a replay honest: what is not yet published changes nothing.
TEST(ReplayFeed, TheFutureOfTheTraceChangesNoObservationUnlessPerfectForesightIsAskedFor) {
  const auto now = kDay + days{9} + minutes{20};
  const int known_hours = 9 * 24 + 1;
  const auto one = Csv(24 * 14, Daily);
  const auto other =
      Csv(24 * 14, [&](int hour) { return hour < known_hours ? Daily(hour) : 7 + hour % 11; });
  const auto a = Feed(one)->Observe(now, kTwoDays);
  const auto b = Feed(other)->Observe(now, kTwoDays);
  EXPECT_EQ(a->known.samples(), b->known.samples());
  EXPECT_EQ(a->forecast.series.samples(), b->forecast.series.samples());
  EXPECT_FALSE(a->forecast.series.empty());
}

TEST(ReplayFeed, PerfectForesightIsTheTruthAndSaysWhatItIs) {
  const auto feed = Feed(Csv(72, [](int hour) { return 100 + hour; }), ForecastMode::kPerfect);
  const auto view = feed->Observe(kDay + hours{3}, Duration{hours{10}});
  EXPECT_EQ(view->forecast.method, "perfect foresight, not attainable in practice");
  EXPECT_EQ(view->forecast.series.span(), (Interval{kDay + hours{4}, kDay + hours{13}}));
  EXPECT_EQ(view->At(kDay + hours{9})->intensity.g_per_kwh, 109);
  EXPECT_EQ(view->At(kDay + hours{9})->status, core::SampleStatus::kForecast);
}

// Each forecast value is 1000 * K + the day of its run + hour / 100, so that a value says where it
// is from: day numbers count from kDay.
std::string ArchivedCsv(int day_count) {
  std::string text = "timestamp,carbon_intensity,forecast_d1,forecast_d2\n";
  for (int hour = 0; hour < 24 * day_count; ++hour) {
    const int day = hour / 24;
    text += FormatTime(kDay + hours{hour}) + ",50," + std::to_string(1000 + day) + "," +
            (day > 0 ? std::to_string(2000 + day - 1) : std::string()) + "\n";
  }
  return text;
}

TEST(ReplayFeed, AnArchivedForecastIsTheRunOfTheDayEvenInTheAfternoon) {
  const auto feed = Feed(ArchivedCsv(10), ForecastMode::kArchived);
  const auto view = feed->Observe(kDay + days{3} + hours{15}, Duration{days{4}});
  EXPECT_EQ(view->forecast.method, "archived forecast");
  EXPECT_EQ(view->At(kDay + days{3} + hours{20})->intensity.g_per_kwh, 1003);
  EXPECT_EQ(view->At(kDay + days{4} + hours{3})->intensity.g_per_kwh, 2003);
  EXPECT_EQ(view->At(kDay + days{5} + hours{3}), nullptr) << "no run of day 3 reaches day 5";
}

TEST(ReplayFeed, BeyondTheArchivedForecastHistoryGoesOnAndTheMethodSaysSo) {
  const auto feed = Feed(ArchivedCsv(10), ForecastMode::kAuto);
  const auto view = feed->Observe(kDay + days{1} + hours{15}, Duration{days{4}});
  EXPECT_EQ(view->forecast.method, "archived forecast, beyond it yesterday and last week");
  EXPECT_EQ(view->At(kDay + days{2} + hours{3})->intensity.g_per_kwh, 2001);
  EXPECT_EQ(view->At(kDay + days{3} + hours{3})->intensity.g_per_kwh, 50);
}

TEST(ReplayFeed, AnArchivedForecastThatHasProvedWorseThanHistoryIsNotUsed) {
  const auto view = Feed(ArchivedCsv(10))->Observe(kDay + days{8}, Duration{days{2}});
  EXPECT_EQ(view->forecast.method, "yesterday and last week");
  EXPECT_EQ(view->At(kDay + days{8} + hours{3})->intensity.g_per_kwh, 50);
}

TEST(ReplayFeed, AForecastOfFixedLeadIsUsedOnceItHadBeenIssued) {
  std::string text = "timestamp,carbon_intensity,forecast_60min,forecast_180min\n";
  for (int row = 0; row < 100; ++row) text += FormatTime(kDay + row * minutes{30}) + ",50,60,180\n";
  const auto view =
      Feed(text, ForecastMode::kArchived)->Observe(kDay + hours{10}, Duration{hours{24}});
  EXPECT_EQ(view->At(kDay + hours{11})->intensity.g_per_kwh, 60);
  EXPECT_EQ(view->At(kDay + minutes{11 * 60 + 30})->intensity.g_per_kwh, 180);
  EXPECT_EQ(view->At(kDay + hours{13})->intensity.g_per_kwh, 180);
  EXPECT_EQ(view->At(kDay + minutes{13 * 60 + 30}), nullptr);
}

TEST(ReplayFeed, AskingForArchivedForecastsThatDoNotExistIsRefused) {
  const auto none =
      ReplayFeed::Create(*ParseTrace(Csv(24, Daily), "Z_a.csv"), {ForecastMode::kArchived, {}, {}});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().Message(), HasSubstr("has no archived forecasts"));
  const auto latest = ReplayFeed::Create(
      *ParseTrace("timestamp,carbon_intensity,forecast_latest\n2023-05-01T00:00Z,10,10\n",
                  "Z_a.csv"),
      {ForecastMode::kArchived, {}, {}});
  ASSERT_FALSE(latest);
  EXPECT_THAT(latest.error().Message(), HasSubstr("forecast without issue time"));
}

std::unique_ptr<ReplayFeed> Late(const std::string& csv, Duration lag,
                                 ForecastMode mode = ForecastMode::kHistory) {
  return Feed(csv, mode, Publication::AfterEnd(lag));
}

TEST(ReplayWithALag, AMeasuredHourIsKnownAnHourAfterItsEndAndNotBefore) {
  const auto csv = Csv(24 * 20, [](int hour) { return 100 + hour; });
  const auto feed = Feed(csv, ForecastMode::kHistory, std::nullopt);
  EXPECT_EQ(feed->publication(), core::kMeasuredPublication) << "unless told otherwise";
  const Time ten = kDay + days{9} + hours{10};
  const auto known_until = [&](Time now) {
    Time until{};
    const auto view = feed->Observe(now, kTwoDays);
    for (const core::Sample& sample : view->known.samples())
      if (sample.status == core::SampleStatus::kMeasured) until = sample.interval.end;
    return until;
  };
  EXPECT_EQ(known_until(ten), ten - hours{1});
  EXPECT_EQ(known_until(ten + minutes{59}), ten - hours{1});
  EXPECT_EQ(known_until(ten + hours{1}), ten);
  EXPECT_THAT(feed->identity().source, HasSubstr("each value known 1h 0m after its interval"));
  EXPECT_EQ(feed->Believed({ten, ten + hours{1}})->samples().front().intensity.g_per_kwh,
            100 + 24 * 9 + 10)
      << "the truth accounts";
}

TEST(ReplayWithALag, TheForecastStandsInForTheHourThatRuns) {
  const auto feed = Late(Csv(24 * 20, Daily), hours{1});
  const Time now = kDay + days{10} + minutes{30};
  const auto view = feed->Observe(now, kTwoDays);
  ASSERT_NE(view->Current(), nullptr);
  EXPECT_EQ(view->Current()->status, core::SampleStatus::kForecast);
  EXPECT_NEAR(view->Current()->intensity.g_per_kwh, Daily(0), 1e-9);
  EXPECT_EQ(view->Current()->interval, (Interval{kDay + days{10}, kDay + days{10} + hours{1}}));
  EXPECT_EQ(view->known.At(now - hours{1}), nullptr) << "the hour before is not published yet";
  EXPECT_EQ(view->forecast.series.span(), (Interval{kDay + days{10} + hours{1}, now + kTwoDays}));
}

TEST(ReplayWithALag, AYoungValueIsHeldOnAsOfALiveSource) {
  const auto feed = Late(Csv(24 * 20, [](int hour) { return 100 + hour; }), minutes{20});
  const Time ten = kDay + hours{10};
  const auto held = feed->Observe(ten + minutes{20}, kTwoDays);
  EXPECT_EQ(held->Current()->intensity.g_per_kwh, 109);
  EXPECT_EQ(held->Current()->status, core::SampleStatus::kEstimated);
  const auto before = feed->Observe(ten + minutes{19}, kTwoDays);
  EXPECT_EQ(before->Current()->status, core::SampleStatus::kForecast) << "108 ended an hour ago";
}

TEST(ReplayWithALag, AFirstEstimateComesBeforeHolding) {
  std::string text = "timestamp,carbon_intensity,forecast_0min\n";
  for (int hour = 0; hour < 48; ++hour)
    text += FormatTime(kDay + hours{hour}) + "," + std::to_string(100 + hour) + "," +
            std::to_string(500 + hour) + "\n";
  const auto feed = Late(text, minutes{20}, ForecastMode::kArchived);
  const auto view = feed->Observe(kDay + minutes{10 * 60 + 30}, kTwoDays);
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 510);
  EXPECT_EQ(view->Current()->status, core::SampleStatus::kForecast);
  EXPECT_EQ(view->known.At(kDay + hours{9})->intensity.g_per_kwh, 109) << "final, once published";
}

TEST(ReplayWithALag, DecidesAgainWithEachRowAndEachPublication) {
  const auto feed = Late(Csv(24, Daily), minutes{20});
  EXPECT_EQ(feed->NextChange(kDay + hours{3}), kDay + hours{3} + minutes{20});
  EXPECT_EQ(feed->NextChange(kDay + hours{3} + minutes{20}), kDay + hours{4});
  EXPECT_EQ(feed->NextChange(kDay + days{3}), kDay + days{3} + hours{1});
  EXPECT_EQ(Late(Csv(24, Daily), hours{1})->NextChange(kDay + minutes{90}), kDay + hours{2});
}

TEST(ReplayWithALag, WhatIsModelledOrReadAtAMomentIsKnownAsItBegins) {
  const std::string head = "timestamp,carbon_intensity,status\n";
  std::string modelled = head, mixed = head, spots = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < 24; ++hour) {
    const std::string row = FormatTime(kDay + hours{hour}) + ",100,";
    modelled += row + "modelled\n";
    mixed += row + (hour == 7 ? "measured\n" : "estimated\n");
    spots += FormatTime(kDay + minutes{hour * hour * 7}) + ",100\n";
  }
  const auto usual = [](const std::string& csv) {
    return Feed(csv, ForecastMode::kHistory, std::nullopt)->publication();
  };
  EXPECT_EQ(usual(modelled), Publication::AtBegin());
  EXPECT_EQ(usual(spots), Publication::AtBegin());
  EXPECT_EQ(usual(mixed), core::kMeasuredPublication);
}

TEST(ReplayWithALag, PerfectForesightKnowsTheHourThatRunsToo) {
  const auto feed =
      Late(Csv(72, [](int hour) { return 100 + hour; }), hours{1}, ForecastMode::kPerfect);
  const auto view = feed->Observe(kDay + minutes{10 * 60 + 10}, Duration{1});
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 110);
  EXPECT_EQ(view->Current()->interval.end, kDay + hours{11});
}

struct Case {
  Duration lag;
  Time now;
};

// Lags and moments of all sorts, also when hardly anything is known yet; the same in every build.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  Random random(7);
  for (const Duration lag : {Duration::zero(), Duration{minutes{10}}, Duration{minutes{45}},
                             Duration{hours{1}}, Duration{minutes{150}}, Duration{days{3}}})
    for (int i = 0; i < 12; ++i)
      cases.push_back({lag, kDay + days{i % 4 == 0 ? 0 : 40} + minutes{random.Below(5 * 24 * 60)}});
  return cases;
}

// A second trace differs in all values not yet published and all forecasts not yet issued. No
// observation may differ.
TEST(ReplayWithALag, WhatIsNotYetPublishedChangesNoObservation) {
  const auto csv = [](Time now, Duration lag, int poison) {
    std::string text = "timestamp,carbon_intensity,forecast_d1,forecast_60min\n";
    for (int hour = 0; hour < 24 * 50; ++hour) {
      const Time begin = kDay + hours{hour};
      const bool known = begin + hours{1} + lag <= now;
      const int value = 200 + hour * 7919 % 101;
      const Time run = std::chrono::floor<days>(begin);
      text += FormatTime(begin) + "," + std::to_string(known ? value : value + poison) + "," +
              std::to_string(run <= now ? value + 9 : value + 3 * poison) + "," +
              std::to_string(begin - hours{1} <= now ? value - 5 : value + 2 * poison) + "\n";
    }
    return text;
  };
  for (const Case& one : Cases()) {
    for (const ForecastMode mode :
         {ForecastMode::kHistory, ForecastMode::kArchived, ForecastMode::kAuto}) {
      const auto a = Late(csv(one.now, one.lag, 0), one.lag, mode)->Observe(one.now, kTwoDays);
      const auto b = Late(csv(one.now, one.lag, 321), one.lag, mode)->Observe(one.now, kTwoDays);
      ASSERT_TRUE(a && b);
      EXPECT_EQ(*a, *b) << FormatTime(one.now) << " " << FormatDuration(one.lag);
    }
  }
}

// A live source that publishes a trace late.
class LateSource final : public Provider {
 public:
  LateSource(const core::IntensitySeries& truth, Duration lag) : truth_(truth), lag_(lag) {}
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return truth_.identity(); }
  Result<Reading> Read(const Question& question) override {
    Reading reading;
    for (const core::Sample& sample : truth_.samples())
      if (sample.interval.end + lag_ <= question.now) reading.known.push_back(sample);
    return reading;
  }

 private:
  const core::IntensitySeries& truth_;
  Duration lag_;
  const std::string name_ = "late";
};

// Replayed and live runs of the same values and lag decide alike.
TEST(ReplayWithALag, SeesWhatALiveSourceOfTheSameValuesAndLagShows) {
  const std::string csv = Csv(24 * 50, [](int hour) { return 200 + hour * 7919 % 101; });
  const core::IntensitySeries truth = ParseTrace(csv, "Z_test_2023_hourly_lifecycle.csv")->series;
  LiveOptions options;
  for (const Case& one : Cases()) {
    LiveSignal live(std::make_unique<LateSource>(truth, one.lag), options);
    const auto shown = ViewAt(*live.Refresh(one.now), one.now, {});
    const auto replayed = Late(csv, one.lag)->Observe(one.now, options.horizon);
    ASSERT_TRUE(shown && replayed);
    EXPECT_EQ(shown->known.samples(), replayed->known.samples()) << FormatTime(one.now);
    EXPECT_EQ(shown->forecast.series.samples(), replayed->forecast.series.samples());
    EXPECT_EQ(shown->forecast.issued, replayed->forecast.issued);
    EXPECT_EQ(shown->forecast.method, replayed->forecast.method);
    EXPECT_EQ(shown->Current() != nullptr, replayed->Current() != nullptr);
  }
}

// The forecast columns of the shared data against their truth, through the feed: a wrong alignment
// by one day or hour shows at once (persistence has 17.8).
TEST(NeedsSharedData, ArchivedDayAheadForecastOfCaliforniaHasItsPublishedError) {
  const std::string path =
      ebb::SharedData() + "/carbon/direct/US-CAL-CISO_em-carbonx_2021-2023_hourly_direct.csv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data at " << ebb::SharedData();
  const auto trace = LoadTrace(path);
  ASSERT_TRUE(trace) << trace.error().Message();
  const core::IntensitySeries truth = trace->series;
  const auto feed =
      ReplayFeed::Create(*trace, {ForecastMode::kArchived, Publication::AtBegin(), {}});
  ASSERT_TRUE(feed);
  double error = 0;
  int count = 0;
  for (Time midnight = truth.span().begin; midnight < truth.span().end; midnight += days{1}) {
    // Leads 1 to 23: hour 0 is already known when its run is issued.
    const auto view = (*feed)->Observe(midnight, Duration{days{1}});
    for (const core::Sample& sample : view->forecast.series.samples()) {
      error += std::fabs(sample.intensity.g_per_kwh -
                         truth.At(sample.interval.begin)->intensity.g_per_kwh);
      ++count;
    }
  }
  EXPECT_GT(count, 20000);
  // Published over leads 0 to 23: 14.7, of which lead 0 is the easiest.
  EXPECT_NEAR(error / count, 14.7, 0.5);
}

TEST(NeedsSharedData, HistoryBeatsYesterdayAloneInCalifornia) {
  const std::string path =
      ebb::SharedData() +
      "/carbon/lifecycle/US-CAL-CISO_em-carbonx_2021-2023_hourly_lifecycle.csv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data at " << ebb::SharedData();
  const auto trace = LoadTrace(path);
  ASSERT_TRUE(trace);
  const core::IntensitySeries truth = trace->series;
  const auto feed =
      ReplayFeed::Create(*trace, {ForecastMode::kHistory, Publication::AtBegin(), {}});
  double history = 0, yesterday = 0;
  for (Time now = truth.span().begin + days{14}; now < truth.span().end - days{1};
       now += hours{37}) {
    const auto view = (*feed)->Observe(now, Duration{days{1}});
    for (const core::Sample& sample : view->forecast.series.samples()) {
      const double actual = truth.At(sample.interval.begin)->intensity.g_per_kwh;
      history += std::fabs(sample.intensity.g_per_kwh - actual);
      yesterday +=
          std::fabs(truth.At(sample.interval.begin - days{1})->intensity.g_per_kwh - actual);
    }
  }
  EXPECT_LT(history, 0.9 * yesterday);
}

}  // namespace
}  // namespace ebb::signals
