#include "plan/planner/carbon_scaler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "plan/make_policy.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

using Widths = std::vector<core::WidthSpeed>;

std::vector<ScalerStep> Steps(const std::vector<double>& prices, int free) {
  std::vector<ScalerStep> steps;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const Time begin = kNow + hours{static_cast<int>(i)};
    steps.push_back({{begin, begin + hours{1}}, prices[i], free});
  }
  return steps;
}

double SpeedOf(const Widths& widths, int devices) {
  for (const core::WidthSpeed& width : widths)
    if (width.devices == devices) return width.speed;
  return 0;
}

double CostOf(const std::vector<ScalerStep>& steps, const std::vector<ScalerPiece>& pieces) {
  double cost = 0;
  for (const ScalerPiece& piece : pieces)
    for (const ScalerStep& step : steps)
      cost += step.price * piece.devices * Hours(Overlap(step.time, piece.time).length());
  return cost;
}

// The least cost over all ways: each step has a width, and the last of them, tried for each, runs
// only as long as there is work.
double CheapestOfAll(const std::vector<ScalerStep>& steps, const Widths& widths, double work) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> level(steps.size(), 0);  // 0: it waits
  for (;;) {
    for (std::size_t part = 0; part < steps.size(); ++part) {
      double done = 0, cost = 0;
      bool fits = true;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (level[i] == 0) continue;
        const core::WidthSpeed& width = widths[level[i] - 1];
        fits = fits && width.devices <= steps[i].free;
        done += width.speed;
        cost += steps[i].price * width.devices;
      }
      if (!fits || done < work - 1e-9 || level[part] == 0) continue;
      // The step changes to each narrower width, or waits, when that leaves just the work.
      const core::WidthSpeed& wide = widths[level[part] - 1];
      for (std::size_t other = 0; other < level[part]; ++other) {
        const core::WidthSpeed narrow = other == 0 ? core::WidthSpeed{0, 0} : widths[other - 1];
        const double share = (done - work) / (wide.speed - narrow.speed);
        if (share > 1 + 1e-9) continue;
        best = std::min(best, cost - share * steps[part].price * (wide.devices - narrow.devices));
      }
    }
    std::size_t at = 0;
    while (at < level.size() && ++level[at] > widths.size()) level[at++] = 0;
    if (at == level.size()) return best;
  }
}

TEST(CarbonScaler, IsTheBestScheduleOfOneJobWithoutCostsOfChanges) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    std::vector<double> prices;
    for (int i = 0; i < 5; ++i) prices.push_back(random.Uniform(40, 600));
    std::vector<ScalerStep> steps = Steps(prices, 3);
    for (ScalerStep& step : steps) step.free = static_cast<int>(1 + random.Below(3));
    const double two = random.Uniform(1.1, 2), three = two + random.Uniform(0.05, two - 1);
    const Widths widths{{1, 1}, {2, two}, {3, three}};
    const double work = random.Uniform(0.5, 4);
    const auto pieces = ScaleByCarbon(steps, widths, DurationFromSeconds(3600 * work));
    ASSERT_TRUE(pieces) << "seed " << seed;
    EXPECT_NEAR(CostOf(steps, *pieces), CheapestOfAll(steps, widths, work), 0.05)
        << "seed " << seed;
    double done = 0;
    for (const ScalerPiece& piece : *pieces)
      done += Hours(piece.time.length()) * SpeedOf(widths, piece.devices);
    EXPECT_NEAR(done, work, 1e-5) << "seed " << seed;
  }
}

TEST(CarbonScaler, AWidthThatIsLessEfficientThanAWiderOneIsNotUsed) {
  const auto pieces =
      ScaleByCarbon(Steps({100, 300, 300}, 3), {{1, 1}, {2, 1.1}, {3, 2.9}}, minutes{150});
  ASSERT_TRUE(pieces);
  for (const ScalerPiece& piece : *pieces) EXPECT_NE(piece.devices, 2);
}

TEST(CarbonScaler, WithoutRoomForAllTheWorkThereIsNoPlan) {
  EXPECT_FALSE(ScaleByCarbon(Steps({100, 200}, 2), {{1, 1}, {2, 1.5}}, hours{4}));
  EXPECT_TRUE(ScaleByCarbon(Steps({100, 200}, 2), {{1, 1}, {2, 1.5}}, hours{3}));
}

TEST(CarbonScaler, BeginsByTheLatestStart) {
  const auto steps = Steps({500, 400, 100, 100}, 1);
  const auto late = ScaleByCarbon(steps, {{1, 1}}, hours{2});
  EXPECT_EQ(late->front().time.begin, kNow + hours{2});
  const auto in_time = ScaleByCarbon(steps, {{1, 1}}, hours{2}, kNow + hours{1});
  EXPECT_EQ(in_time->front().time.begin, kNow + hours{1});
}

Schedule PlanOnce(Instance& instance) {
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  (*MakePolicy("carbon-scaler", {}))->Update(problem, {true, false, {}}, schedule);
  return schedule;
}

TEST(CarbonScaler, AsAPolicyPlansElasticJobsAndStartsOthersAtOnce) {
  Instance instance;
  Fill(instance, 4, {400, 400, 100, 300, 400, 400});
  for (int i = 0; i < 3; ++i) instance.jobs.push_back(JobOf(i, hours{3}, hours{3}));
  for (int i = 1; i < 3; ++i) {
    instance.jobs[static_cast<std::size_t>(i)].checkpointable = true;
    instance.jobs[static_cast<std::size_t>(i)].speedup = {{2, 1.9}, {4, 3.3}};
  }
  const Schedule schedule = PlanOnce(instance);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  EXPECT_EQ(schedule.jobs[0].reason.rule, core::GateRule::kRunNow);
  // The first takes all devices in the clean hour, so the second has to make do with other hours.
  EXPECT_EQ(BeginOf(schedule.jobs[1]), kNow + hours{2});
  EXPECT_EQ(schedule.jobs[1].segments.front().devices, 4);
  EXPECT_FALSE(schedule.jobs[1].run_now);
  for (const Segment& segment : schedule.jobs[2].segments)
    EXPECT_EQ(Overlap(segment.time, schedule.jobs[1].segments.front().time).length(),
              Duration::zero());
}

core::Job WideJob(core::JobId id, Duration duration, Duration max_delay) {
  core::Job job = JobOf(id, duration, max_delay);
  job.checkpointable = true;
  job.speedup = {{2, 1.9}, {4, 3.3}};
  return job;
}

TEST(CarbonScaler, AJobThatCannotEndInTimeIsAsWideAsPossible) {
  Instance instance;
  Fill(instance, 5, {400, 400, 100, 300, 400, 400});
  instance.jobs = {JobOf(0, hours{1}, hours{3}), WideJob(1, hours{5}, hours{1})};
  instance.jobs[0].devices = 2;
  instance.jobs[1].finish_by = kNow + hours{1};
  Problem problem = instance.Finish();
  instance.views[0].state = JobState::kRunning;
  instance.views[0].pool = 0;
  instance.views[0].segment_begin = kNow;
  Schedule schedule;
  schedule.jobs.resize(2);
  (*MakePolicy("carbon-scaler", {}))->Update(problem, {true, false, {}}, schedule);
  const auto& segments = schedule.jobs[1].segments;
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].devices, 2) << "the other job has the rest for an hour";
  EXPECT_EQ(segments[1].devices, 4);
  EXPECT_EQ(segments[1].time.begin, kNow + hours{1});
  EXPECT_NEAR(Hours(segments[1].time.length()), 3.1 / 3.3, 1e-5);
}

// Otherwise two jobs pause each other for ever: one that is paused for another width plans after
// the other, and takes back its devices as soon as it runs.
TEST(CarbonScaler, AJobKeepsItsTurnWhileItIsPaused) {
  Instance instance;
  Fill(instance, 4, {100, 400, 400, 400, 400, 400});
  instance.jobs = {WideJob(0, hours{3}, hours{2}), WideJob(1, hours{3}, hours{2})};
  Problem problem = instance.Finish();
  instance.views[0].state = JobState::kPaused;
  instance.views[0].pauses = 1;
  instance.views[1].state = JobState::kRunning;
  instance.views[1].pool = 0;
  instance.views[1].segment_begin = kNow;
  Schedule schedule;
  schedule.jobs.resize(2);
  (*MakePolicy("carbon-scaler", {}))->Update(problem, {true, false, {}}, schedule);
  EXPECT_EQ(schedule.jobs[0].segments.front().devices, 4);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  EXPECT_FALSE(schedule.jobs[1].run_now);
}

}  // namespace
}  // namespace ebb::plan
