#include "service/accounting/settlement.h"

#include <gtest/gtest.h>

namespace ebb::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kDay = *ParseTime("2026-05-06T00:00Z");
const core::SignalIdentity kZone{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle, ""};

core::IntensitySeries Hourly(const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Time begin = kDay + hours{static_cast<int>(i)};
    samples.push_back({{begin, begin + hours{1}}, {values[i]}, core::SampleStatus::kMeasured});
  }
  return *core::IntensitySeries::Create(kZone, samples);
}

std::vector<core::LedgerRow> RunOf(Interval grid, const core::IntensitySeries& believed) {
  return core::MakeRows({"cpu", core::Component::kCpu, core::EnergySource::kModel, grid,
                         Energy::Joules(1000 * Seconds(grid.length()))},
                        grid, 1, Pue{1}, believed);
}

// The values that were believed while the job ran are revised afterwards.
TEST(Settlement, AJobThatStartedAtOnceSavesExactlyNothingWhateverIsRevised) {
  const auto believed = Hourly({400, 300, 200}), revised = Hourly({200, 333, 111});
  const auto rows =
      RunOf({kDay + minutes{30} + Duration{40}, kDay + hours{2} + minutes{7}}, believed);
  for (const auto& published : {Hourly({}), Hourly({200}), revised}) {
    const Settlement settlement = SettlementOf(kDay + minutes{30}, rows, published);
    ASSERT_TRUE(settlement.emitted && settlement.at_submission);
    EXPECT_EQ(settlement.emitted->grams, settlement.at_submission->grams);
    EXPECT_EQ(settlement.half_width_g, 0.0) << "and that is sure";
    EXPECT_EQ(settlement.is_published, published == revised);
  }
}

TEST(Settlement, BothSidesAreOnWhatWasPublished) {
  const auto believed = Hourly({400, 300, 200}), published = Hourly({100, 90, 50});
  const auto rows = RunOf({kDay + hours{2}, kDay + hours{3}}, believed);
  const Settlement settlement = SettlementOf(kDay, rows, published);
  EXPECT_NEAR(settlement.emitted->grams, 50, 1e-9);
  EXPECT_NEAR(settlement.at_submission->grams, 100, 1e-9);
  EXPECT_GT(*settlement.half_width_g, 10) << "of a modelled energy and of two hours";
  EXPECT_LT(*settlement.half_width_g, 50) << "half of it is saved for sure";
  EXPECT_EQ(SettledOver(kDay, rows), (Interval{kDay, kDay + hours{3}}));
}

TEST(Settlement, UntilItIsPublishedTheRowsStandForTheirOwnHoursOnly) {
  const auto believed = Hourly({400, 300, 200});
  const auto rows = RunOf({kDay + hours{2}, kDay + hours{3}}, believed);
  const Settlement settlement = SettlementOf(kDay, rows, Hourly({}));
  EXPECT_NEAR(settlement.emitted->grams, 200, 1e-9);
  EXPECT_FALSE(settlement.half_width_g);
  EXPECT_FALSE(settlement.at_submission) << "nobody has published the first hour";
  EXPECT_FALSE(settlement.is_published);
  EXPECT_FALSE(SettlementOf(kDay, {}, believed).emitted);
}

}  // namespace
}  // namespace ebb::service
