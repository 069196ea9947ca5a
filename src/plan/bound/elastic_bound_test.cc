// Bounds of elastic jobs: never above what a schedule can reach, and equal to the best schedule
// where nothing is relaxed.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "plan/bound/efficient_widths.h"
#include "plan/bound/hindsight_bound.h"
#include "plan/hourly_for_test.h"
#include "plan/planner/carbon_scaler.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using namespace testing;

using Widths = std::vector<core::WidthSpeed>;

TEST(EfficientWidths, LeaveOutWhatAMixOfOthersBeats) {
  EXPECT_EQ(EfficientWidths({{1, 1}, {2, 1.9}, {3, 2.7}}), (Widths{{1, 1}, {2, 1.9}, {3, 2.7}}));
  // Two devices add too little, and three more than their share.
  EXPECT_EQ(EfficientWidths({{1, 1}, {2, 1.1}, {3, 2.4}}), (Widths{{1, 1}, {3, 2.4}}));
  // One device is slower for its power than four.
  EXPECT_EQ(EfficientWidths({{1, 0.2}, {4, 1}}), (Widths{{4, 1}}));
  EXPECT_EQ(EfficientWidths({}), Widths{});
}

std::vector<core::IntensitySeries> TruthOf(const Instance& instance) {
  std::vector<core::IntensitySeries> truth;
  for (const core::SignalView& signal : instance.signals) {
    std::vector<core::Sample> samples;
    for (int unit = 0; unit < instance.units; ++unit) {
      const Time at = instance.now + instance.unit * unit;
      samples.push_back(
          {{at, at + instance.unit}, signal.At(at)->intensity, core::SampleStatus::kMeasured});
    }
    truth.push_back(*core::IntensitySeries::Create({}, std::move(samples)));
  }
  return truth;
}

TEST(ElasticBound, InHindsightIsNeverAboveTheExhaustiveOptimum) {
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 60; ++seed) {
    Instance instance;
    MakeRandomElastic(seed, instance);
    const auto optimum = ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    for (const std::size_t most_arcs : {std::size_t{400'000}, std::size_t{0}}) {
      HindsightOptions options;
      options.most_arcs = most_arcs;
      const HindsightBound bound =
          BestInHindsight(instance.jobs, instance.cluster, TruthOf(instance), options);
      EXPECT_FALSE(bound.exact) << "seed " << seed;
      EXPECT_TRUE(bound.feasible) << "seed " << seed;
      EXPECT_LE(bound.emissions.grams, *optimum * (1 + 1e-9)) << "seed " << seed;
      EXPECT_GT(bound.emissions.grams, 0) << "seed " << seed;
    }
  }
}

// Without costs of changes, CarbonScaler's greedy is the best schedule of one job, and the bound
// relaxes nothing.
TEST(ElasticBound, OfOneJobAloneIsCarbonScalersSchedule) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 8; ++i) values.push_back(random.Uniform(40, 600));
    Instance instance;
    Fill(instance, 3, values);
    core::Job job = JobOf(0, std::chrono::minutes{30 + random.Below(400)}, hours{8});
    job.start_by.reset();
    job.finish_by = kNow + hours{8};
    job.checkpointable = true;
    const double two = random.Uniform(1.2, 2);
    job.speedup = {{2, two}, {3, two + random.Uniform(0.1, two - 1)}};
    std::vector<ScalerStep> steps;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Time begin = kNow + hours{static_cast<int>(i)};
      steps.push_back({{begin, begin + hours{1}}, values[i], 3});
    }
    const auto pieces =
        ScaleByCarbon(steps, {{1, 1}, job.speedup[0], job.speedup[1]}, job.duration);
    ASSERT_TRUE(pieces);
    double grams = 0;
    for (const ScalerPiece& piece : *pieces)
      for (const ScalerStep& step : steps)
        grams += step.price * 0.3 * piece.devices * Hours(Overlap(step.time, piece.time).length());
    const std::vector<core::Job> jobs{job};
    const std::vector<core::IntensitySeries> truth{Hourly(kNow, values)};
    for (const std::size_t most_arcs : {std::size_t{400'000}, std::size_t{0}}) {
      HindsightOptions options;
      options.most_arcs = most_arcs;
      const double bound = BestInHindsight(jobs, instance.cluster, truth, options).emissions.grams;
      EXPECT_LE(bound, grams * (1 + 1e-9)) << "seed " << seed;
      EXPECT_NEAR(bound, grams, 1e-4 * grams) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ebb::plan
