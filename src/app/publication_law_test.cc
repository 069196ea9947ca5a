// Checks end to end the law that makes a simulation honest: data that had not been published at the
// time of a decision does not change it, under any policy. The test replaces all later values.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/simulation_run.h"
#include "base/random.h"
#include "plan/make_policy.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-03-01T00:00Z");
constexpr int kHours = 24 * 100;
const Time kStart = kBegin + days{80} + hours{17};

constexpr const char* kScenario = R"(
sites: [{name: here, zone: X, trace: X_test_2023_hourly_lifecycle.csv}]
devices: [{model: A, count: 2}]
jobs:
  - {name: short, count: 5, submit_every: 3h, duration: 80m, power_w: 300, tier: "1", max_delay: 24h}
  - {name: long, count: 3, duration: 5h, power_w: 300, tier: "2", max_delay: 48h, checkpointable: true, pause_cost: 2m}
start_dates: [2023-05-20T17:00Z]
bootstrap: {samples: 0}
)";

class PublicationLaw : public ::testing::Test {
 protected:
  // Hours that are published after `cut` get other values, in a different order.
  void WriteTrace(std::optional<Time> cut, Duration lag) const {
    std::ofstream file(folder_ / "X_test_2023_hourly_lifecycle.csv");
    file << "timestamp,carbon_intensity\n";
    Random random(3), poison(4);
    for (int hour = 0; hour < kHours; ++hour) {
      const Time begin = kBegin + hours{hour};
      const double drawn = random.Uniform(-60, 60), other = poison.Uniform(10, 600);
      const double value = 250 + 120 * std::sin(hour * 0.2618) + drawn;
      file << FormatTime(begin) << "," << (cut && begin + hours{1} + lag > *cut ? other : value)
           << "\n";
    }
  }

  std::vector<sim::Simulation> Run(std::optional<Time> cut, Duration lag) const {
    WriteTrace(cut, lag);
    std::string text = kScenario;
    text += "publication_lag: " + std::to_string(lag.count()) + "ms\npolicies:\n";
    for (const std::string& policy : plan::PolicyNames()) {
      text += "  - {policy: " + policy;
      if (policy == "threshold") text += ", threshold_g_per_kwh: 200";
      if (policy == "dtpr") text += ", lower_g_per_kwh: 100, upper_g_per_kwh: 450";
      text += "}\n";
    }
    config::ScenarioContext context;
    context.path = (folder_ / "s.yaml").string();
    const auto file = config::ParseScenario(text, context);
    EXPECT_TRUE(file) << file.error().Message();
    auto experiment = RunExperiment(*file, {});
    EXPECT_TRUE(experiment) << experiment.error().Message();
    return std::move(experiment->first_start);
  }

  const std::filesystem::path folder_ = ScratchDirectory("publication-law");
};

// The decisions up to a moment: every start by then, and every end that is no later.
std::vector<std::string> DecidedBy(Time cut, const sim::Simulation& simulation) {
  std::vector<std::string> decided;
  for (const sim::JobOutcome& outcome : simulation.outcomes)
    for (const plan::Segment& segment : outcome.segments) {
      if (segment.time.begin >= cut) continue;
      decided.push_back(std::to_string(outcome.job) + " " + FormatTime(segment.time.begin) + " " +
                        (segment.time.end < cut ? FormatTime(segment.time.end) : "runs"));
    }
  return decided;
}

TEST_F(PublicationLaw, NoPolicySeesAValueBeforeItIsPublished) {
  Random random(11);
  std::size_t decided = 0;
  bool poison_matters = false;
  for (const Duration lag : {Duration::zero(), Duration{minutes{20}}, Duration{hours{1}}}) {
    const auto whole = Run(std::nullopt, lag);
    for (int i = 0; i < 4; ++i) {
      const Time cut = kStart + minutes{30 + random.Below(40 * 60)};
      const auto poisoned = Run(cut, lag);
      ASSERT_EQ(whole.size(), poisoned.size());
      for (std::size_t policy = 0; policy < whole.size(); ++policy) {
        const auto expected = DecidedBy(cut, whole[policy]);
        EXPECT_EQ(expected, DecidedBy(cut, poisoned[policy]))
            << "policy " << policy << ", " << FormatTime(cut) << ", lag " << FormatDuration(lag);
        decided += expected.size();
        const Time end = Time::max();
        if (DecidedBy(end, whole[policy]) != DecidedBy(end, poisoned[policy]))
          poison_matters = true;
      }
    }
  }
  EXPECT_GT(decided, 200U) << "the law is tried on decisions";
  EXPECT_TRUE(poison_matters) << "what came later did change later decisions";
}

}  // namespace
}  // namespace ebb::app
