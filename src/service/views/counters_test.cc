#include "service/views/counters.h"

#include <gtest/gtest.h>

namespace ebb::service {
namespace {

using engine::Stage;

JobCard CardIn(Stage stage, core::GateRule rule, int attempt = 0, int pauses = 0) {
  JobCard card;
  card.explanation.stage = stage;
  card.explanation.reason.rule = rule;
  card.attempt = attempt;
  card.pauses = pauses;
  return card;
}

TEST(Counters, FollowALife) {
  using enum core::GateRule;
  Counters counters;
  const std::vector<JobCard> life{CardIn(Stage::kWaiting, kRunNow),
                                  CardIn(Stage::kWaiting, kCleanerLater),
                                  CardIn(Stage::kWaiting, kPlanned),
                                  CardIn(Stage::kStarting, kCleanestNow, 1),
                                  CardIn(Stage::kRunning, kRunning, 1),
                                  CardIn(Stage::kPaused, kPausedForCleaner, 1, 1),
                                  CardIn(Stage::kRunning, kLatestStart, 2, 1),
                                  CardIn(Stage::kSucceeded, kRunning, 2, 1),
                                  CardIn(Stage::kSucceeded, kRunning, 2, 1)};
  for (std::size_t i = 1; i < life.size(); ++i)
    counters.Follow(JobMark(life[i - 1]), JobMark(life[i]));
  EXPECT_EQ(counters.starts,
            (std::map<core::GateRule, std::int64_t>{{kCleanestNow, 1}, {kLatestStart, 1}}));
  EXPECT_EQ(counters.pauses, 1);
  EXPECT_EQ(counters.carbon_delays, 2) << "each wait counts once, however often it is explained";
  EXPECT_EQ(counters.succeeded, 1);
  EXPECT_EQ(counters.failed + counters.cancelled, 0);
}

TEST(Counters, UnknownIntensityIsNotZeroGrams) {
  Counters counters;
  core::LedgerRow row;
  row.component = core::Component::kGpu;
  row.energy = Energy::Joules(3.6e6);
  row.pue = {1.5};
  counters.AddRow(row);
  row.intensity = Intensity{100};
  counters.AddRow(row);
  EXPECT_EQ(counters.energy[1], Energy::Joules(7.2e6));
  EXPECT_EQ(counters.energy_without_intensity, Energy::Joules(3.6e6));
  EXPECT_DOUBLE_EQ(counters.emissions.grams, 150);
}

TEST(DurationCounts, ABoundIsInItsBucket) {
  DurationCounts counts;
  for (const double ms : {0.5, 1.0, 1.5, 2.0, 16384.0, 20000.0})
    counts.Add(std::chrono::microseconds(static_cast<std::int64_t>(ms * 1000)));
  EXPECT_EQ(counts.counts[0], 2);
  EXPECT_EQ(counts.counts[1], 2);
  EXPECT_EQ(counts.counts[14], 1);
  EXPECT_EQ(counts.counts[15], 1);
  EXPECT_DOUBLE_EQ(counts.Bounds().back(), 16.384);
  EXPECT_NEAR(counts.sum_s, 36.389, 1e-9);
}

}  // namespace
}  // namespace ebb::service
