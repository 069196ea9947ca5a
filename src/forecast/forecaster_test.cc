// Tests of promises that every forecaster keeps.
#include "forecast/forecaster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kHorizon{hours{96}};

double Sine(double hour) { return 300 + 100 * std::sin(2 * std::numbers::pi * hour / 24); }

// A daily wave with autocorrelated noise, from a seed.
core::IntensitySeries Noisy(int count, std::uint64_t seed) {
  Random random(seed);
  double noise = 0;
  return Series(count, [&](int i) {
    noise = 0.95 * noise + 10 * random.Normal();
    return std::max(20.0, Sine(i) + noise);
  });
}

class EveryForecaster : public ::testing::TestWithParam<std::string_view> {
 protected:
  core::Forecast At(const core::IntensitySeries& history, Time now, Duration horizon = kHorizon) {
    const auto forecast = forecaster_->At(history, now, horizon);
    EXPECT_TRUE(forecast);
    return *forecast;
  }
  std::unique_ptr<Forecaster> forecaster_ = *MakeForecaster(GetParam());
};

TEST_P(EveryForecaster, KnowsItsName) { EXPECT_EQ(forecaster_->name(), GetParam()); }

TEST_P(EveryForecaster, ForecastsASineOfOneDayExactly) {
  const auto history = Series(24 * 120, Sine);
  const core::Forecast forecast = At(history, kBegin + days{100} + hours{5});
  ASSERT_EQ(forecast.series.samples().size(), 95u);
  EXPECT_EQ(forecast.series.span(),
            (Interval{kBegin + days{100} + hours{6}, kBegin + days{104} + hours{5}}));
  for (const core::Sample& sample : forecast.series.samples())
    EXPECT_NEAR(sample.intensity.g_per_kwh, Sine(Hours(sample.interval.begin - kBegin)), 1e-6);
}

TEST_P(EveryForecaster, ForecastsASineOfFiveMinuteStepsExactly) {
  const auto history = Series(
      24 * 12 * 80, [](int i) { return Sine(i / 12.0); }, minutes{5});
  const core::Forecast forecast = At(history, kBegin + days{79} + minutes{7 * 60 + 22});
  ASSERT_EQ(forecast.series.samples().size(), 96u * 12);
  EXPECT_EQ(forecast.series.samples()[0].interval,
            (Interval{kBegin + days{79} + minutes{7 * 60 + 25},
                      kBegin + days{79} + minutes{7 * 60 + 30}}));
  for (const core::Sample& sample : forecast.series.samples())
    EXPECT_NEAR(sample.intensity.g_per_kwh, Sine(Hours(sample.interval.begin - kBegin)), 1e-6);
}

TEST_P(EveryForecaster, ScalesWithTheHistory) {
  const auto history = Noisy(24 * 150, 3);
  const auto samples = history.samples();
  const auto scaled = Series(24 * 150, [&](int i) {
    return 4 * samples[static_cast<std::size_t>(i)].intensity.g_per_kwh;
  });
  const core::Forecast once = At(history, kBegin + days{149});
  const core::Forecast four_times = At(scaled, kBegin + days{149});
  for (std::size_t i = 0; i < once.series.samples().size(); ++i)
    EXPECT_NEAR(4 * once.series.samples()[i].intensity.g_per_kwh,
                four_times.series.samples()[i].intensity.g_per_kwh, 1e-6);
}

TEST_P(EveryForecaster, NeverLooksAhead) {
  const auto truth = Noisy(24 * 160, 5).samples();
  const Time now = kBegin + days{151} + minutes{20};
  const auto other = Series(24 * 160, [&](int i) {
    return kBegin + i * kOneHour <= now ? truth[static_cast<std::size_t>(i)].intensity.g_per_kwh
                                        : 1.0 + i % 7;
  });
  const auto one = Series(
      24 * 160, [&](int i) { return truth[static_cast<std::size_t>(i)].intensity.g_per_kwh; });
  // The test asks about the future first, so that remembered fits are tested too.
  At(one, kBegin + days{159});
  const core::Forecast a = At(one, now);
  const core::Forecast b = (*MakeForecaster(GetParam()))->At(other, now, kHorizon).value();
  EXPECT_EQ(a.series.samples(), b.series.samples());
  EXPECT_EQ(a.p10.samples(), b.p10.samples());
  EXPECT_EQ(a.p90.samples(), b.p90.samples());
  EXPECT_EQ(At(other, now).series.samples(), a.series.samples());
}

// Values that are not yet published at `now` must not matter. Other values, or none, in their place
// change no figure of any forecast, for any lag and any moment.
TEST_P(EveryForecaster, NeverLooksAtWhatIsNotPublished) {
  constexpr int kHours = 24 * 130;
  const auto truth = Noisy(kHours, 11).samples();
  Random random(23);
  for (const Duration lag : {Duration::zero(), Duration{minutes{20}}, Duration{hours{1}},
                             Duration{hours{5}}, Duration{days{2}}}) {
    const auto publication = core::Publication::AfterEnd(lag);
    const auto late = AsPublished(*MakeForecaster(GetParam()), publication);
    for (int i = 0; i < 12; ++i) {
      const Time now = kBegin + days{60} +
                       Duration{static_cast<Duration::rep>(
                           random.Uniform() * static_cast<double>(Duration{days{65}}.count()))};
      const auto value = [&](int hour, double otherwise) {
        const Interval interval{kBegin + hour * kOneHour, kBegin + (hour + 1) * kOneHour};
        return publication.Of(interval) <= now
                   ? truth[static_cast<std::size_t>(hour)].intensity.g_per_kwh
                   : otherwise;
      };
      const double poison = 1000 * random.Uniform();
      const auto changed = Series(kHours, [&](int hour) { return value(hour, poison + hour % 5); });
      const auto ended = Series(kHours, [&](int hour) { return value(hour, -1); });
      const auto whole = Series(kHours, [&](int hour) {
        return truth[static_cast<std::size_t>(hour)].intensity.g_per_kwh;
      });
      const auto expected = late->At(whole, now, kHorizon);
      EXPECT_EQ(*expected, *late->At(changed, now, kHorizon)) << FormatTime(now);
      EXPECT_EQ(*expected, *late->At(ended, now, kHorizon)) << FormatTime(now);
      EXPECT_EQ(expected->series.span().begin, ended.span().end);
      EXPECT_EQ(expected->series.span().end, now + kHorizon);
    }
  }
}

// An hour's lag equals an hour's lead: the forecast equals one from an hour earlier.
TEST_P(EveryForecaster, WithALagIsTheForecastOfWhoKnewNoMore) {
  const auto history = Noisy(24 * 120, 31);
  const Time now = kBegin + days{100} + hours{9};
  const auto late = AsPublished(*MakeForecaster(GetParam()), core::Publication::AfterEnd(kOneHour));
  const core::Forecast there = late->At(history, now, kHorizon).value();
  const core::Forecast then = At(history, now - hours{2}, kHorizon + hours{2});
  EXPECT_EQ(there, then);
  EXPECT_EQ(late->name(), GetParam());
}

TEST_P(EveryForecaster, WhatWasAskedBeforeChangesNothing) {
  const auto history = Noisy(24 * 200, 9);
  std::vector<Time> moments;
  for (int i = 0; i < 12; ++i) moments.push_back(kBegin + days{80 + 9 * i} + hours{5 * i});
  std::vector<core::Forecast> forward;
  for (const Time now : moments) forward.push_back(At(history, now));
  const auto fresh = *MakeForecaster(GetParam());
  for (std::size_t i = moments.size(); i-- > 0;)
    EXPECT_EQ(fresh->At(history, moments[i], kHorizon)->series.samples(),
              forward[i].series.samples());
}

TEST_P(EveryForecaster, SaysSomethingFromTheFirstHourOn) {
  const auto history = Noisy(24 * 100, 2);
  EXPECT_TRUE(At(history, kBegin - hours{1}).series.empty());
  EXPECT_TRUE(At({}, kBegin).series.empty());
  for (const int hour : {0, 1, 7, 23, 24, 100, 24 * 14, 24 * 69, 24 * 70, 24 * 99}) {
    const core::Forecast forecast = At(history, kBegin + hours{hour});
    EXPECT_EQ(forecast.series.span().end, kBegin + hours{hour} + kHorizon) << hour;
    EXPECT_EQ(forecast.issued, kBegin + hours{hour});
    EXPECT_FALSE(forecast.method.empty());
  }
}

TEST_P(EveryForecaster, AGapIsNotACliff) {
  const auto whole = Noisy(24 * 130, 4).samples();
  const auto gap = Series(24 * 130, [&](int i) {
    const bool missing = i / 24 == 100 || (i > 24 * 120 - 5 && i < 24 * 120 - 2);
    return missing ? -1.0 : whole[static_cast<std::size_t>(i)].intensity.g_per_kwh;
  });
  const core::Forecast forecast = At(gap, kBegin + days{120});
  ASSERT_EQ(forecast.series.samples().size(), 95u);
  for (const core::Sample& sample : forecast.series.samples())
    EXPECT_NEAR(sample.intensity.g_per_kwh, Sine(Hours(sample.interval.begin - kBegin)), 120);
  // In the middle of a gap, the first row begins now.
  EXPECT_EQ(At(gap, kBegin + days{100} + minutes{90}).series.span().begin,
            kBegin + days{100} + minutes{90});
}

TEST_P(EveryForecaster, ZeroIsAValueLikeAnyOther) {
  const auto history = Series(24 * 100, [](int) { return 0.0; });
  const core::Forecast forecast = At(history, kBegin + days{99});
  ASSERT_EQ(forecast.series.samples().size(), 95u);
  for (const core::Sample& sample : forecast.series.samples())
    EXPECT_EQ(sample.intensity.g_per_kwh, 0);
}

INSTANTIATE_TEST_SUITE_P(Forecasters, EveryForecaster,
                         ::testing::Values(kPersistence, kSeasonalNaive, kRidge),
                         [](const auto& parameter) {
                           std::string name(parameter.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Forecaster, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const auto forecaster = MakeForecaster("magic");
  ASSERT_FALSE(forecaster);
  EXPECT_NE(forecaster.error().Message().find("ridge"), std::string::npos);
}

}  // namespace
}  // namespace ebb::forecast
