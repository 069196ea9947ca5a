#include "report/compare/compare_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using std::chrono::hours;
using testing::HasSubstr;
using testing::Not;

// A run submitted at 18:00 at 400 g/kWh (1.2 kW). From 11:00 on, 17 hours later, the grid has 160.
RunBuilder Variant(const std::string& group, std::int64_t seed) {
  RunBuilder builder;
  builder.group = group;
  builder.seed = seed;
  builder.power_factor = 1 + 0.01 * static_cast<double>(seed);
  if (group.starts_with("scheduled")) {
    builder.policy = "window";
    builder.waited = hours(17);
    builder.replayed = true;
  }
  return builder;
}

std::string AnswerOf(const std::vector<RunBuilder>& builders) {
  std::vector<core::RunRecord> runs;
  for (const RunBuilder& builder : builders) runs.push_back(builder.Build());
  const auto comparison = Compare(std::move(runs));
  EXPECT_TRUE(comparison);
  return ComparisonAnswer(*comparison);
}

TEST(ComparisonAnswer, SaysWhatRanWhenWhatThatSavedAndWhatItCost) {
  std::vector<RunBuilder> builders;
  for (const std::int64_t seed : {1, 2, 3})
    for (const std::string group : {"baseline", "scheduled", "slow"}) {
      builders.push_back(Variant(group, seed));
      if (group == "slow") builders.back().running *= 2;
    }
  const std::string answer = AnswerOf(builders);
  EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 4) << answer;
  EXPECT_THAT(answer, HasSubstr("  ran    9 runs: baseline, scheduled, slow (3 seeds each); data: "
                                "digits\n"));
  EXPECT_THAT(answer,
              HasSubstr("  when   2023-05-01T18:00:00Z, at once: baseline, slow; "
                        "2023-05-02T11:00:00Z, after 17h 0m: scheduled (on a replayed clock "
                        "that skips waits)\n"));
  EXPECT_THAT(answer,
              HasSubstr("  saved  emissions against baseline: scheduled 60.0 % less; waiting "
                        "saved 240 g of CO2 for each kWh\n"));
  EXPECT_THAT(answer,
              HasSubstr("  cost   17h 0m of waiting (scheduled); emissions of slow +100.0 %; "
                        "running time of slow +100.0 %; nothing else got clearly worse\n"));
}

TEST(ComparisonAnswer, NothingSavedIsSaid) {
  const std::string answer = AnswerOf({Variant("baseline", 1), Variant("other", 1)});
  EXPECT_THAT(answer, HasSubstr("  saved  no variant clearly emitted less\n"));
  EXPECT_THAT(answer, HasSubstr("  cost   nothing got clearly worse\n"));
  EXPECT_THAT(answer, Not(HasSubstr("replayed")));
}

TEST(ComparisonAnswer, WithoutIntensityThereIsNoSaving) {
  std::vector<RunBuilder> builders{Variant("baseline", 1), Variant("scheduled", 1)};
  for (RunBuilder& builder : builders) builder.intensity_by_hour.clear();
  const std::string answer = AnswerOf(builders);
  EXPECT_THAT(answer, HasSubstr("emissions are unknown"));
  EXPECT_THAT(answer, Not(HasSubstr("less")));
}

}  // namespace
}  // namespace ebb::report
