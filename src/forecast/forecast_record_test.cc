#include "forecast/forecast_record.h"

#include <gtest/gtest.h>

#include "forecast/judgement.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

// A forecast of `value` for two days, received at `at`, when the hours up to the one before `at`
// were published.
RecordedForecast Had(Time at, double value) {
  RecordedForecast forecast{at, at - hours{1}, {}};
  for (int i = -1; i < 48; ++i) {
    const Time begin = at + hours{i};
    forecast.rows.push_back(
        {{begin, begin + hours{1}}, Intensity{value}, core::SampleStatus::kForecast});
  }
  return forecast;
}

TEST(ForecastRecord, KeepsOneInThirteenHoursAndForgetsTheOld) {
  ForecastRecord record;
  for (int hour = 0; hour < 24 * 60; ++hour) record.Add(Had(kBegin + hours{hour}, 100));
  const auto& kept = record.forecasts();
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_EQ(kept[i].at - kept[i - 1].at, hours{13});
  EXPECT_EQ(kept.back().at, kBegin + hours{13 * 110});
  EXPECT_GE(kept.front().at, kept.back().at - ForecastRecord::kKept);
  EXPECT_LT(kept.front().at, kept.back().at - ForecastRecord::kKept + hours{13});
  EXPECT_FALSE(record.Add({kBegin + days{90}, kBegin + days{90}, {}})) << "no forecast";
}

TEST(ForecastRecord, AForecastOfAClockThatWasSetBackDoesNotKeepOthersAway) {
  ForecastRecord record;
  record.Add(Had(kBegin + days{400}, 100));
  EXPECT_FALSE(record.Add(Had(kBegin, 100)));
  record.ForgetAfter(kBegin);
  EXPECT_TRUE(record.Add(Had(kBegin, 100)));
  EXPECT_EQ(record.forecasts().size(), 1u);
}

TEST(ForecastRecord, TheForecastOfAMomentIsTheLatestByThen) {
  auto record = std::make_shared<ForecastRecord>();
  record->Add(Had(kBegin + days{10}, 150));
  record->Add(Had(kBegin + days{11}, 250));
  const auto forecaster = MakeRecordedForecaster(record);
  const auto history = Series(24 * 20, [](int) { return 200.0; });
  EXPECT_TRUE(forecaster->At(history, kBegin + days{9}, Duration{hours{96}})->series.empty());
  const auto before =
      forecaster->At(history, kBegin + days{11} - minutes{1}, Duration{hours{96}}).value();
  EXPECT_EQ(before.series.samples().front().intensity.g_per_kwh, 150);
  EXPECT_EQ(before.issued, kBegin + days{10});
  const auto then = forecaster->At(history, kBegin + days{11}, Duration{hours{24}}).value();
  EXPECT_EQ(then.series.span(), (Interval{kBegin + days{11} - hours{1}, kBegin + days{12}}));
  EXPECT_EQ(then.series.samples().back().intensity.g_per_kwh, 250);
  EXPECT_EQ(record->MomentsIn({kBegin, kBegin + days{11}}), std::vector<Time>{kBegin + days{10}});
}

TEST(ForecastRecord, KnowsHowLateValuesWere) {
  ForecastRecord record;
  EXPECT_EQ(record.UsualPublication(), core::Publication::AtBegin());
  for (int day = 0; day < 9; ++day) {
    RecordedForecast forecast = Had(kBegin + days{day}, 100);
    forecast.known_until = forecast.at - minutes{day < 2 ? 300 : 40 + day};
    record.Add(std::move(forecast));
  }
  EXPECT_EQ(record.UsualPublication(), core::Publication::AfterEnd(minutes{46}));
}

// The truth is 200, and the own forecast is off by 30.
TEST(Judge, TheErrorsOfBothAreThoseOfTheRowsThatBothHave) {
  auto record = std::make_shared<ForecastRecord>();
  for (int i = 0; i < 40; ++i) record->Add(Had(kBegin + days{30} + i * hours{13}, 190 + i));
  const auto history = Series(24 * 60, [](int) { return 200.0; });
  const auto provider = MakeRecordedForecaster(record);
  class Own : public Forecaster {
   public:
    std::string_view name() const override { return "own"; }
    Result<core::Forecast> At(const core::IntensitySeries& all, Time now, Duration) override {
      std::vector<core::Sample> rows;
      for (int i = 0; i < 24; ++i)
        rows.push_back(
            {{now + hours{i}, now + hours{i + 1}}, {230}, core::SampleStatus::kForecast});
      return core::Forecast{
          now, "own", *core::IntensitySeries::Create(all.identity(), rows), {}, {}};
    }
  } own;
  const Time until = kBegin + days{40};
  const auto moments = record->MomentsIn({kBegin, until});
  ASSERT_EQ(moments.size(), 19u);
  const auto judgement =
      Judge(*provider, own, history, core::Publication::AfterEnd(Duration{0}), moments, until);
  ASSERT_TRUE(judgement);
  // 24 rows each, except the last two: 18 and 5 of their hours are published before the end.
  EXPECT_EQ(judgement->rows, 17 * 24 + 18 + 5);
  EXPECT_DOUBLE_EQ(judgement->OwnMean(), 30);
  double sum = 0;
  for (int i = 0; i < 17; ++i) sum += 24 * std::abs(190 + i - 200);
  EXPECT_DOUBLE_EQ(judgement->provider_error, sum + 18 * 7 + 5 * 8);
  EXPECT_TRUE(judgement->ProviderIsBetter());
}

}  // namespace
}  // namespace ebb::forecast
