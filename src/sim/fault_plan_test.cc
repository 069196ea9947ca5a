#include "sim/fault_plan_for_test.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "plan/make_policy.h"
#include "testing/builders.h"
#include "testing/fake_feed.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-05-01");

std::vector<double> Wavy(std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 120; ++hour)
    values.push_back(250 + 100 * std::sin(hour * 0.2618) + random.Uniform(-40, 40));
  return values;
}

std::vector<core::Job> Jobs(std::uint64_t seed, bool clock_jumps) {
  Random random(SeedFor(seed, 7));
  std::vector<core::Job> jobs;
  const int count = 6 + static_cast<int>(random.Below(14));
  for (int i = 0; i < count; ++i) {
    testing::AJob job(i + 1);
    job.Submitted(kBegin + minutes{random.Below(36 * 60)})
        .Runs(minutes{20 + random.Below(300)})
        .Wide(1 + static_cast<int>(random.Below(3)))
        .Within(hours{2 + random.Below(40)})
        .OfTier(std::to_string(1 + random.Below(3)));
    // A clock that jumps gives wrong lengths of segments.
    const Duration least = clock_jumps ? Duration{0} : Duration{minutes{random.Below(60)}};
    if (random.Below(2) == 0) job.Pausable(minutes{random.Below(6)}, least);
    jobs.push_back(job);
  }
  return jobs;
}

// A complete case that the seed determines.
struct Trial {
  explicit Trial(std::uint64_t seed, Canary canary = Canary::kNone)
      : feed(kBegin - hours{72}, Wavy(seed)) {
    feed.KeepHistory(hours{72});
    it.plan = DrawFaultPlan(seed, kBegin);
    it.cluster = testing::ClusterOf(4);
    it.jobs = Jobs(seed, it.plan.clock_jumps_at != Time::max());
    it.feeds = {&feed};
    it.begin = kBegin;
    it.give_up = kBegin + hours{24 * 60};
    it.canary = canary;
    policy = plan::PolicyNames()[seed % plan::PolicyNames().size()];
    it.make_engine = [this] {
      engine::Options options;
      options.admission = engine::Admission::kTakeAll;
      options.start_retries = 1'000'000;
      plan::PolicyOptions policies;
      policies.planner.first_plan = policies.planner.next_plan = {200, 5'000, 0, 0};
      policies.planner.most_flow_arcs = 0;
      return std::make_unique<engine::Engine>(options, *plan::MakePolicy(policy, policies));
    };
  }
  FaultOutcome Run() const { return RunWithFaults(it); }

  testing::FakeFeed feed;
  std::string policy;
  FaultCase it;
};

TEST(FaultSimulation, EveryJobEndsExactlyOnceWhateverGoesWrong) {
  int crashes = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Trial trial(seed);
    const FaultOutcome outcome = trial.Run();
    crashes += outcome.crashes;
    for (const std::string& violation : outcome.violations)
      ADD_FAILURE() << "seed " << seed << ", " << trial.policy << ": " << violation;
    if (HasFailure()) break;
  }
  EXPECT_GT(crashes, 200) << "the plans are too kind";
}

TEST(FaultSimulation, OneSeedGivesOneRun) {
  const auto a = Trial(11).Run();
  const auto b = Trial(11).Run();
  EXPECT_EQ(a.crashes, b.crashes);
  EXPECT_EQ(a.journal.size(), b.journal.size());
}

// The checks must be able to fail: each deliberate bug is noticed by most seeds.
class CanaryTest : public ::testing::TestWithParam<Canary> {};

TEST_P(CanaryTest, IsNoticed) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    Trial trial(seed, GetParam());
    trial.it.plan = {};
    trial.it.give_up = kBegin + hours{24 * 8};
    noticed += !trial.Run().violations.empty();
  }
  EXPECT_GE(noticed, 6);
}

INSTANTIATE_TEST_SUITE_P(Bugs, CanaryTest,
                         ::testing::Values(Canary::kIgnoresCapacity, Canary::kStartsTwice,
                                           Canary::kForgetsEnds));

}  // namespace
}  // namespace ebb::sim
