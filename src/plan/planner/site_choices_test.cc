#include "plan/planner/site_choices.h"

#include <gtest/gtest.h>

#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

// "home" is at 300 g/kWh and at 100 in hours 6 and 7; "away" is always at 80. One job of two hours
// and 300 W, which must start within 12 hours, has its files at home.
class SiteChoicesTest : public ::testing::Test {
 protected:
  SiteChoicesTest() {
    std::vector<double> home(48, 300);
    home[6] = home[7] = 100;
    Fill(instance_, 1, home);
    instance_.cluster.sites.push_back({"away", "Z", {1.0}});
    instance_.cluster.pools.push_back({"gpu", 1, 1, 1, 1, {}});
    instance_.signals.push_back(ViewOf(std::vector<double>(48, 80)));
    job().home = "home";
  }
  core::Job& job() {
    if (instance_.jobs.empty()) instance_.jobs = {JobOf(1, hours{2}, hours{12})};
    return instance_.jobs.front();
  }
  std::vector<SiteChoice> Choices() {
    const Problem problem = instance_.Finish();
    return SiteChoices(problem, problem.jobs.front());
  }
  std::vector<SiteChoice> ChoicesWhileItRunsAtHome() {
    const Problem problem = instance_.Finish();
    JobView view = problem.jobs.front();
    view.state = JobState::kRunning;
    view.pool = view.last_site = 0;
    view.segment_begin = kNow;
    return SiteChoices(problem, view);
  }

  Instance instance_;
};

TEST_F(SiteChoicesTest, AreTheBestStartAtEachSite) {
  const auto choices = Choices();
  ASSERT_EQ(choices.size(), 2u);
  ASSERT_TRUE(choices[0].best && choices[1].best);
  EXPECT_EQ(choices[0].best->time, (Interval{kNow + hours{6}, kNow + hours{8}}));
  EXPECT_NEAR(choices[0].best->expected.grams, 60, 1e-6);
  EXPECT_EQ(choices[1].best->time, (Interval{kNow, kNow + hours{2}}));
  EXPECT_NEAR(choices[1].best->expected.grams, 48, 1e-6);
  EXPECT_FALSE(choices[0].best->late || choices[1].best->late);
}

TEST_F(SiteChoicesTest, CountTheMove) {
  job().file_bytes = 1'000'000'000;
  const auto choices = Choices();
  ASSERT_TRUE(choices[0].best && choices[1].best);
  EXPECT_EQ(choices[0].best->moving, Duration{}) << "its files are there";
  EXPECT_EQ(choices[1].best->moving, std::chrono::seconds{8});
  EXPECT_NEAR(choices[1].best->move_energy.kwh(), 0.06, 1e-9);
  // The network's energy counts where the files come from. It is cheapest in the clean hours there.
  EXPECT_NEAR(choices[1].best->expected.grams, 48 + 0.06 * 100, 1e-6);
  EXPECT_EQ(choices[1].best->time.begin, kNow + hours{6});
}

TEST_F(SiteChoicesTest, IgnoreThresholdsWhichAreNoGrams) {
  job().threshold = Intensity{10};
  const auto choices = Choices();
  ASSERT_TRUE(choices[1].best);
  EXPECT_NEAR(choices[1].best->expected.grams, 48, 1e-6);
}

TEST_F(SiteChoicesTest, SayWhyThereIsNone) {
  job().forbidden_sites = {"away"};
  instance_.signals[0] = {};
  instance_.signals[0].now = kNow;
  const auto choices = Choices();
  EXPECT_FALSE(choices[0].best || choices[1].best);
  EXPECT_EQ(choices[0].no_plan, NoPlan::kUnknownGrid);
  EXPECT_EQ(choices[1].no_plan, NoPlan::kMayNotRun);
}

TEST_F(SiteChoicesTest, OfAJobThatCannotMoveInTimeAreLate) {
  // 6,750 GB at 1 Gbit/s take 15 hours.
  job().file_bytes = 6'750'000'000'000;
  const auto choices = Choices();
  ASSERT_TRUE(choices[0].best && choices[1].best);
  EXPECT_FALSE(choices[0].best->late);
  EXPECT_TRUE(choices[1].best->late);
}

TEST_F(SiteChoicesTest, OfARunningJobThatWritesNoCheckpointAreWhereItRuns) {
  const auto choices = ChoicesWhileItRunsAtHome();
  ASSERT_TRUE(choices[0].best);
  EXPECT_EQ(choices[0].best->time.begin, kNow);
  EXPECT_NEAR(choices[0].best->expected.grams, 180, 1e-6);
  EXPECT_FALSE(choices[1].best);
  EXPECT_EQ(choices[1].no_plan, NoPlan::kCannotLeave);
}

TEST_F(SiteChoicesTest, OfARunningJobCountThePauseElsewhere) {
  job().checkpointable = true;
  job().pause_cost = minutes{30};
  const auto choices = ChoicesWhileItRunsAtHome();
  ASSERT_TRUE(choices[1].best);
  EXPECT_EQ(choices[1].best->time, (Interval{kNow, kNow + minutes{150}}));
  EXPECT_NEAR(choices[1].best->expected.grams, 2.5 * 0.3 * 80, 1e-6);
}

}  // namespace
}  // namespace ebb::plan
