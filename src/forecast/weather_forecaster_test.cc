#include "forecast/weather_forecaster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/backtest.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/weather_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using testing::HasSubstr;

constexpr int kDays = 330;

WeatherForecaster With(std::shared_ptr<const WeatherArchive> archive) {
  return WeatherForecaster(std::move(archive), core::kMeasuredPublication);
}
std::unique_ptr<Forecaster> FromPast() {
  return AsPublished(MakeBestForecaster(), core::kMeasuredPublication);
}
BacktestScores ScoresOf(Forecaster& forecaster, const WindyZone& zone, Interval issues) {
  auto scores = Backtest(forecaster, zone.history, {issues, hours{7}});
  EBB_CHECK(scores.has_value());
  return *std::move(scores);
}

TEST(WeatherForecaster, KnowsTheWindOfTheNextDaysWhereTheOwnPastDoesNot) {
  const WindyZone zone(kDays);
  auto weather = With(zone.Archive(kDays));
  const auto past = FromPast();
  const Interval issues{kBegin + days{200}, kBegin + days{kDays - 5}};
  const auto with = ScoresOf(weather, zone, issues), without = ScoresOf(*past, zone, issues);
  const auto ratio = [&](std::size_t from, std::size_t until) {
    return Over(with.by_lead, from, until).MeanAbsoluteError() /
           Over(without.by_lead, from, until).MeanAbsoluteError();
  };
  EXPECT_LT(ratio(1, 25), 0.6);
  EXPECT_LT(ratio(25, 49), 0.45);
  EXPECT_LT(ratio(49, 97), 0.7);  // the runs do not reach the last of these hours
}

TEST(WeatherForecaster, TheBandHoldsFourFifthsOfWhatComes) {
  const WindyZone zone(kDays);
  auto weather = With(zone.Archive(kDays));
  const auto scores = ScoresOf(weather, zone, {kBegin + days{230}, kBegin + days{kDays - 5}});
  EXPECT_NEAR(DayAhead(scores.by_lead).Coverage(), 0.8, 0.05);
  EXPECT_NEAR(Over(scores.by_lead, 48, 96).Coverage(), 0.8, 0.06);
}

TEST(WeatherForecaster, IsTheForecastFromThePastWhereNoWeatherIsKnown) {
  const WindyZone zone(200);
  auto weather = With(std::make_shared<const WeatherArchive>());
  const auto past = FromPast();
  for (const auto after : {days{0}, days{3}, days{80}, days{150}}) {
    const Time now = kBegin + after + hours{7};
    const auto with = weather.At(zone.history, now, hours{96});
    const auto without = past->At(zone.history, now, hours{96});
    ASSERT_TRUE(with && without);
    EXPECT_EQ(with->series, without->series);
    EXPECT_EQ(with->p10, without->p10);
  }
}

TEST(WeatherForecaster, LaterRunsAndValuesChangeNothing) {
  const WindyZone zone(kDays);
  const Time now = kBegin + days{260} + hours{5};
  auto runs = zone.Runs(kDays);
  for (WeatherRun& run : runs) {
    if (run.published <= now) continue;
    for (auto& hour : run.hours) hour->wind_mps = 25;
  }
  auto later = WeatherArchive::Create("test", std::move(runs));
  ASSERT_TRUE(later);
  auto changed = zone.history.samples();
  for (core::Sample& sample : changed)
    if (sample.interval.end + hours{1} > now) sample.intensity = Intensity{7};
  const auto changed_history = core::IntensitySeries::Create(zone.history.identity(), changed);
  ASSERT_TRUE(changed_history);

  auto honest = With(zone.Archive(kDays));
  auto tempted = With(std::make_shared<const WeatherArchive>(*later));
  const auto expected = honest.At(zone.history, now, hours{96});
  const auto found = tempted.At(*changed_history, now, hours{96});
  ASSERT_TRUE(expected && found);
  EXPECT_EQ(*found, *expected);
}

TEST(WeatherForecaster, EarlierQuestionsChangeNothing) {
  const WindyZone zone(kDays);
  const Time now = kBegin + days{250} + hours{9};
  auto asked_once = With(zone.Archive(kDays));
  auto asked_often = With(zone.Archive(kDays));
  for (const auto other : {days{100}, days{300}, days{251}, days{90}, days{249}})
    ASSERT_TRUE(asked_often.At(zone.history, kBegin + other + hours{20}, hours{96}));
  const auto expected = asked_once.At(zone.history, now, hours{96});
  const auto found = asked_often.At(zone.history, now, hours{96});
  ASSERT_TRUE(expected && found);
  EXPECT_EQ(*found, *expected);
}

TEST(WeatherForecaster, FallsBackHourByHourWhileTheSourceIsAway) {
  const WindyZone zone(kDays);
  constexpr int kLastRun = 250;
  auto weather = With(zone.Archive(kLastRun));
  const auto past = FromPast();
  const auto differ = [&](Time now) {
    const auto with = weather.At(zone.history, now, hours{96});
    const auto without = past->At(zone.history, now, hours{96});
    EBB_CHECK(with && without);
    std::size_t count = 0;
    for (std::size_t i = 0; i < with->series.samples().size(); ++i)
      if (with->series.samples()[i] != without->series.samples()[i]) ++count;
    return std::pair(count, with->method);
  };
  const Time last = kBegin + days{kLastRun};
  EXPECT_THAT(differ(last + hours{8}).second, HasSubstr("8 h old"));
  EXPECT_GT(differ(last + hours{8}).first, 80u);
  // Two days later, half of a four-day run is over.
  EXPECT_THAT(differ(last + hours{56}).second, HasSubstr("56 h old, for 40 of 96 hours"));
  EXPECT_GT(differ(last + hours{56}).first, 35u);
  const auto gone = differ(last + days{6});
  EXPECT_EQ(gone.first, 0u);
  EXPECT_THAT(gone.second, HasSubstr("no weather is known"));
}

// In this zone each m/s of wind lowers the intensity by 20 g/kWh, and nothing else has an effect.
TEST(WeatherForecaster, SaysWhatEachDriverAddsAsTheZoneWasMade) {
  const WindyZone zone(kDays);
  auto weather = With(zone.Archive(kDays));
  double product = 0, square = 0;
  for (int day = 250; day < 310; day += 5) {
    const Time now = kBegin + days{day} + hours{8};
    const auto said = weather.Explain(zone.history, now, hours{48});
    ASSERT_EQ(said.size(), 48U);
    EXPECT_EQ(said.front().hour, (Interval{now, now + hours{1}}));
    for (const HourOfWeather& hour : said) {
      EXPECT_EQ(hour.coverage, Coverage::kRun);
      product += hour.effects[0] * hour.departures[0];
      square += hour.departures[0] * hour.departures[0];
      for (const auto other :
           {WeatherDriver::kSun, WeatherDriver::kTemperature, WeatherDriver::kRain})
        EXPECT_NEAR(hour.effects[static_cast<std::size_t>(other)], 0, 1e-6);
    }
  }
  EXPECT_NEAR(product / square, -20, 3);
  auto without = With(std::make_shared<const WeatherArchive>());
  EXPECT_TRUE(without.Explain(zone.history, kBegin + days{250}, hours{48}).empty());
}

TEST(WeatherForecaster, AStaleRunHasAWiderBand) {
  const WindyZone zone(kDays);
  constexpr int kLastRun = 250;
  auto fresh = With(zone.Archive(kDays)), stale = With(zone.Archive(kLastRun));
  const Time now = kBegin + days{kLastRun + 2} + hours{8};
  const auto width = [&](WeatherForecaster& forecaster) {
    const auto forecast = forecaster.At(zone.history, now, hours{24});
    EBB_CHECK(forecast && !forecast->p10.empty());
    double sum = 0;
    for (std::size_t i = 0; i < forecast->p10.samples().size(); ++i)
      sum += forecast->p90.samples()[i].intensity.g_per_kwh -
             forecast->p10.samples()[i].intensity.g_per_kwh;
    return sum;
  };
  EXPECT_GT(width(stale), 1.05 * width(fresh));
}

TEST(WeatherForecaster, WeatherThatSaysNothingDoesLittleHarm) {
  const WindyZone zone(kDays, 0);
  auto weather = With(zone.Archive(kDays));
  const auto past = FromPast();
  const Interval issues{kBegin + days{200}, kBegin + days{kDays - 5}};
  const auto with = ScoresOf(weather, zone, issues), without = ScoresOf(*past, zone, issues);
  EXPECT_LT(Over(with.by_lead, 1, 97).MeanAbsoluteError(),
            1.02 * Over(without.by_lead, 1, 97).MeanAbsoluteError());
}

TEST(WeatherArchive, TheNewestPublishedRunThatKnowsTheHourSpeaks) {
  const auto run = [](int begin_h, std::vector<double> winds) {
    WeatherRun made{
        kBegin + hours{begin_h}, kBegin + hours{begin_h + 6}, kBegin + hours{begin_h}, {}};
    for (const double wind : winds)
      made.hours.push_back(wind < 0 ? std::nullopt : std::optional(WeatherHour{wind, 283, 0, 0}));
    return made;
  };
  const auto archive = WeatherArchive::Create(
      "test", {run(6, {21, 22, -1, 24}), run(0, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
  ASSERT_TRUE(archive);
  const auto wind = [&](int hour, int now) -> double {
    const auto found = archive->At(kBegin + hours{hour}, kBegin + hours{now});
    return found ? found->weather->wind_mps : -1;
  };
  EXPECT_EQ(wind(0, 5), -1);  // the run is not yet published
  EXPECT_EQ(wind(0, 6), 1);
  EXPECT_EQ(wind(7, 11), 8);
  EXPECT_EQ(wind(7, 12), 22);
  EXPECT_EQ(wind(8, 12), 9);    // the newer run has a hole here
  EXPECT_EQ(wind(12, 30), -1);  // beyond the end of both runs
}

TEST(WeatherArchive, WhatCannotBeIsRefused) {
  const auto create = [](WeatherHour hour, Duration published) {
    return WeatherArchive::Create("test", {{kBegin, kBegin + published, kBegin, {hour}}});
  };
  EXPECT_TRUE(create({5, 283, 100, 0}, hours{6}));
  EXPECT_THAT(create({5, 10, 100, 0}, hours{6}).error().what, HasSubstr("temperature"));
  EXPECT_THAT(create({5, 283, 360000, 0}, hours{6}).error().what, HasSubstr("short wave"));
  EXPECT_THAT(create({NAN, 283, 100, 0}, hours{6}).error().what, HasSubstr("wind"));
  EXPECT_THAT(create({5, 283, 100, 0}, -hours{1}).error().what, HasSubstr("before"));
}

// A live source revises its last days: estimates become measured values, and late values come.
core::IntensitySeries Revised(const core::IntensitySeries& history, Random& random) {
  auto samples = history.samples();
  const std::size_t reach = random.Uniform() < 0.2 ? 24 * 40 : 24 * 3;
  for (int i = 0; i < 3; ++i) {
    const auto back = static_cast<std::size_t>(random.Uniform() * static_cast<double>(reach));
    samples[samples.size() - 1 - back].intensity.g_per_kwh += 50 * random.Uniform();
  }
  if (random.Uniform() < 0.5) samples.erase(samples.end() - 30);
  return *core::IntensitySeries::Create(history.identity(), std::move(samples));
}

TEST(WeatherForecaster, AfterRevisionsItIsAsIfItHadSeenNothingElse) {
  const WindyZone zone(kDays);
  const auto archive = zone.Archive(kDays);
  Random random(11);
  auto live = With(archive);
  const auto live_past = FromPast();
  for (const int day : {200, 210, 223, 224, 225, 252, 253, 300}) {
    const Time now = kBegin + days{day} + hours{3};
    const core::IntensitySeries until = zone.history.Slice({kBegin, now + hours{1}});
    const core::IntensitySeries revised = Revised(until, random);
    ASSERT_TRUE(live.At(until, now, hours{96}));
    ASSERT_TRUE(live_past->At(until, now, hours{96}));
    const auto found = live.At(revised, now, hours{96});
    const auto found_past = live_past->At(revised, now, hours{96});
    const auto expected = With(archive).At(revised, now, hours{96});
    const auto expected_past = FromPast()->At(revised, now, hours{96});
    ASSERT_TRUE(found && expected && found_past && expected_past);
    EXPECT_EQ(*found, *expected) << day;
    EXPECT_EQ(*found_past, *expected_past) << day;
  }
}

TEST(WeatherForecaster, AnArchiveThatGrewIsAsIfItHadBeenThereFromTheStart) {
  const WindyZone zone(kDays);
  WeatherForecaster live = With(std::make_shared<const WeatherArchive>());
  for (const int day : {180, 181, 210, 260}) {
    const Time now = kBegin + days{day} + hours{9};
    live.Use(zone.Archive(day), {});
    const auto found = live.At(zone.history, now, hours{96});
    const auto expected = With(zone.Archive(day)).At(zone.history, now, hours{96});
    ASSERT_TRUE(found && expected);
    EXPECT_EQ(*found, *expected) << day;
  }
}

TEST(WeatherForecaster, WeatherThatCameWhileAValueWasLateCounts) {
  const WindyZone zone(kDays);
  WeatherForecaster live(zone.Archive(kDays), core::Publication::AtBegin());
  const Time last = kBegin + days{260} + hours{5};  // the run of this day comes at 6:00
  const auto before = live.At(zone.history, last, hours{96});
  live.Use(zone.Archive(kDays), hours{2});
  const auto after = live.At(zone.history, last, hours{96});
  ASSERT_TRUE(before && after);
  EXPECT_THAT(before->method, HasSubstr("29 h old"));
  EXPECT_THAT(after->method, HasSubstr("7 h old"));
}

}  // namespace
}  // namespace ebb::forecast
