#include "report/run/width_course.h"

#include <gtest/gtest.h>

#include "report/run/run_json.h"
#include "report/run/summary.h"

namespace ebb::report {
namespace {

constexpr Duration kMinute{60'000};

// A run with an attempt of ten minutes for each width; 0: unknown.
core::RunRecord RunOn(const std::vector<int>& widths) {
  core::RunRecord run;
  run.spec.name = "wide";
  Time begin{};
  for (const int width : widths) {
    core::Attempt attempt;
    attempt.number = static_cast<int>(run.attempts.size()) + 1;
    attempt.wall = attempt.grid = {begin, begin + 10 * kMinute};
    attempt.outcome = core::AttemptOutcome::kPaused;
    attempt.devices = width;
    core::LedgerRow row;
    row.attempt = attempt.number;
    row.wall = row.grid = attempt.wall;
    row.energy = Energy::Joules(100.0 * std::max(width, 1));
    row.intensity = Intensity{360};
    run.ledger.push_back(row);
    run.attempts.push_back(attempt);
    begin = attempt.wall.end + kMinute;
  }
  return run;
}

TEST(WidthCourse, SaysHowLongARunHadHowManyDevices) {
  const auto course = WidthCourse(RunOn({2, 1, 4, 4, 2}));
  ASSERT_EQ(course.size(), 5u);
  EXPECT_EQ(WidthChanges(course), 3);
  EXPECT_EQ(WidthCourseText(course),
            "2, 1, 4, 2 devices (10m 0s on 1, 20m 0s on 2, 20m 0s on 4); 3 changes, their cost is "
            "in all figures");
}

TEST(WidthCourse, StretchesAddUpToTheRun) {
  const core::RunRecord run = RunOn({2, 1, 4});
  Energy energy;
  double grams = 0;
  for (const WidthStretch& stretch : WidthCourse(run)) {
    energy += stretch.totals.energy;
    grams += stretch.totals.emissions.grams;
  }
  EXPECT_EQ(energy, core::Total(run.ledger).energy);
  EXPECT_NEAR(grams, core::Total(run.ledger).emissions.grams, 1e-12);
}

TEST(WidthCourse, ARunThatIsNotElasticHasNone) {
  EXPECT_TRUE(WidthCourse(RunOn({0, 0})).empty());
  const core::RunRecord run = RunOn({0, 0});
  EXPECT_EQ(SummaryText(run, Summarise(run)).find("widths"), std::string::npos);
  EXPECT_EQ(SummaryJson(run, Summarise(run)).find("widths"), std::string::npos);
}

TEST(WidthCourse, IsInTheSummary) {
  const core::RunRecord run = RunOn({1, 4});
  EXPECT_NE(SummaryText(run, Summarise(run)).find("1, 4 devices"), std::string::npos);
  EXPECT_NE(SummaryJson(run, Summarise(run)).find("\"devices\": 4"), std::string::npos);
}

TEST(WidthCourse, AttemptsKeepTheirWidthInFiles) {
  core::RunRecord read;
  for (const core::Attempt& attempt : RunOn({4}).attempts) {
    ASSERT_TRUE(AddAttemptLine(AttemptBeginToJson(attempt), "", read));
    ASSERT_TRUE(AddAttemptLine(AttemptEndToJson(attempt), "", read));
  }
  ASSERT_EQ(read.attempts.size(), 1u);
  EXPECT_EQ(read.attempts[0].devices, 4);
  EXPECT_EQ(AttemptBeginToJson(RunOn({0}).attempts[0]).find("devices"), std::string::npos);
}

}  // namespace
}  // namespace ebb::report
