#include "forecast/backtest.h"

#include <gtest/gtest.h>

#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;

TEST(Backtest, PersistenceOfARisingSeriesIsLateByWholeDays) {
  const auto history = Series(24 * 20, [](int i) { return 100.0 + i; });
  const auto forecaster = *MakeForecaster(kPersistence);
  const auto scores =
      Backtest(*forecaster, history, {{kBegin + days{5}, kBegin + days{10}}, hours{7}});
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->by_lead[0].rows, 0) << "the current hour is known";
  EXPECT_EQ(scores->by_lead[1].rows, 18) << "120 hours, every 7";
  EXPECT_DOUBLE_EQ(scores->by_lead[24].Bias(), -24);
  EXPECT_DOUBLE_EQ(scores->by_lead[25].MeanAbsoluteError(), 48);
  EXPECT_DOUBLE_EQ(DayAhead(scores->by_lead).MeanAbsoluteError(), 24);
  EXPECT_EQ(DayAhead(scores->by_lead).rows, 18 * 24);
  EXPECT_EQ(DayAhead(scores->by_lead).banded_rows, 0);
}

TEST(Backtest, WhereValuesComeLateTheHourThatRunsIsScoredByItselfAndTheYardstickIsLater) {
  const auto history = Series(24 * 20, [](int i) { return 100.0 + i; });
  const auto forecaster =
      AsPublished(*MakeForecaster(kPersistence), core::Publication::AfterEnd(kOneHour));
  const auto scores =
      Backtest(*forecaster, history, {{kBegin + days{5}, kBegin + days{10}}, hours{7}});
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->running.rows, 18) << "120 hours, every 7";
  EXPECT_DOUBLE_EQ(scores->running.Bias(), -24);
  // At midnight, the latest known hour begins at 22:00. So 23:00 is 24 hours ahead of the hour that
  // repeats, and leads of 23 and 24 hours are already two days behind.
  EXPECT_DOUBLE_EQ(scores->by_lead[22].Bias(), -24);
  EXPECT_DOUBLE_EQ(scores->by_lead[23].Bias(), -48);
  EXPECT_EQ(scores->by_lead[0].rows, 0);
  EXPECT_EQ(DayAhead(scores->by_lead).rows, 18 * 24);
}

TEST(Backtest, HoursWithoutTruthAreLeftOut) {
  const auto history = Series(24 * 10, [](int i) { return i == 24 * 6 + 3 ? -1.0 : 100.0; });
  const auto forecaster = *MakeForecaster(kPersistence);
  const auto scores =
      Backtest(*forecaster, history, {{kBegin + days{6}, kBegin + days{6} + hours{1}}, hours{7}});
  EXPECT_EQ(scores->by_lead[2].rows, 1);
  EXPECT_EQ(scores->by_lead[3].rows, 0);
  EXPECT_EQ(scores->by_lead[96].rows, 0) << "beyond the end";
}

TEST(Backtest, ReportsProgressUpToTheEnd) {
  const auto history = Series(24 * 10, [](int) { return 100.0; });
  const auto forecaster = *MakeForecaster(kPersistence);
  double last = -1;
  BacktestOptions options{{kBegin + days{2}, kBegin + days{6}}};
  options.progress = [&](double share) {
    EXPECT_GT(share, last);
    last = share;
  };
  ASSERT_TRUE(Backtest(*forecaster, history, options));
  EXPECT_GT(last, 0.9);
}

}  // namespace
}  // namespace ebb::forecast
