#include "plan/planner/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "plan/bound/hindsight_bound.h"
#include "plan/hourly_for_test.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

Schedule PlanOnce(Instance& instance, const PlannerOptions& options = {}) {
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  MakePlanner(options)->Update(problem, {}, schedule);
  return schedule;
}

TEST(Planner, IsWithinOnePercentOfTheExhaustiveOptimumAndNeverUnsound) {
  double sum = 0, worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 200; ++seed) {
    Instance instance;
    MakeRandomInstance(seed, instance);
    const auto optimum = ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    const double gap = schedule.expected->grams / *optimum - 1;
    EXPECT_GE(gap, -1e-9);
    EXPECT_LE(schedule.lower_bound->grams, *optimum * (1 + 1e-9));
    sum += gap;
    worst = std::max(worst, gap);
  }
  RecordProperty("mean gap", std::to_string(sum / compared));
  RecordProperty("worst gap", std::to_string(worst));
  EXPECT_LE(sum / compared, 0.01);
  EXPECT_LE(worst, 0.05);
}

TEST(Planner, KeepsCapacityDeadlinesAndMinimumSegmentsOnRandomQueues) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Instance instance;
    FillQueue(instance, seed, 25, RandomValues(seed, 96));
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    EXPECT_LE(schedule.lower_bound->grams, schedule.expected->grams * (1 + 1e-9));
  }
}

TEST(Planner, OfAFlatSignalMakesFirstComeFirstServed) {
  Instance instance;
  FillQueue(instance, 3, 20, std::vector<double>(96, 250));
  for (core::Job& job : instance.jobs) job.devices = 1;
  const Schedule schedule = PlanOnce(instance);
  std::vector<Time> free_from(4, kNow);
  for (std::size_t i = 0; i < instance.jobs.size(); ++i) {
    const auto first = std::min_element(free_from.begin(), free_from.end());
    ASSERT_EQ(schedule.jobs[i].segments.size(), 1u);
    EXPECT_EQ(BeginOf(schedule.jobs[i]), *first);
    *first += instance.jobs[i].duration;
  }
}

TEST(Planner, WithoutASignalOrAForecastRunsEverythingAtOnce) {
  for (const bool has_signal : {false, true}) {
    Instance instance;
    Fill(instance, 2, {300, 200, 100});
    instance.signals[0].forecast = {};
    if (!has_signal) instance.signals[0].known = {};
    for (int i = 0; i < 2; ++i) instance.jobs.push_back(JobOf(i, hours{1}, hours{24}));
    for (const JobPlan& plan : PlanOnce(instance).jobs) EXPECT_TRUE(plan.run_now);
  }
}

TEST(Planner, ScalingTheSignalScalesEmissionsOnly) {
  Instance one, three;
  std::vector<double> values = RandomValues(5, 96);
  FillQueue(one, 5, 15, values);
  for (double& value : values) value *= 3;
  FillQueue(three, 5, 15, values);
  const Schedule low = PlanOnce(one), high = PlanOnce(three);
  for (std::size_t i = 0; i < low.jobs.size(); ++i)
    EXPECT_EQ(low.jobs[i].segments, high.jobs[i].segments);
  EXPECT_NEAR(high.expected->grams, 3 * low.expected->grams, 1e-6 * high.expected->grams);
}

TEST(Planner, IsTheSameEveryTime) {
  Instance instance;
  FillQueue(instance, 6, 30, RandomValues(6, 96));
  const Schedule first = PlanOnce(instance), second = PlanOnce(instance);
  for (std::size_t i = 0; i < first.jobs.size(); ++i)
    EXPECT_EQ(first.jobs[i].segments, second.jobs[i].segments);
}

TEST(Planner, GoesOnFromTheScheduleItWasGiven) {
  Instance instance;
  FillQueue(instance, 7, 20, RandomValues(7, 96));
  const Problem problem = instance.Finish();
  const auto planner = MakePlanner({});
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  planner->Update(problem, {}, schedule);
  const double before = schedule.expected->grams;
  planner->Update(problem, {}, schedule);
  EXPECT_LE(schedule.expected->grams, before * (1 + 1e-12));
}

// A program that ends before its estimate leaves a device free. With a flat signal, no job waits
// any longer.
TEST(Planner, ADeviceThatIsFreeEarlyIsUsedWhereWaitingSavesNothing) {
  Instance instance;
  Fill(instance, 1, std::vector<double>(96, 250));
  for (int i = 0; i < 2; ++i) instance.jobs.push_back(JobOf(i, hours{1}, hours{24}));
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Time begin = kNow + hours{1 + static_cast<int>(i)};
    schedule.jobs[i].segments = {{0, {begin, begin + hours{1}}}};
  }
  MakePlanner({})->Update(problem, {}, schedule);
  EXPECT_EQ(BeginOf(schedule.jobs[0]), kNow);
  EXPECT_EQ(BeginOf(schedule.jobs[1]), kNow + hours{1});
}

TEST(Planner, WaitsForTheValley) {
  Instance instance;
  Fill(instance, 1, {300, 300, 300, 100, 100, 300, 300, 300});
  instance.jobs = {JobOf(0, minutes{90}, hours{6})};
  const JobPlan plan = PlanOnce(instance).jobs[0];
  EXPECT_FALSE(plan.run_now);
  EXPECT_EQ(plan.reason.rule, GateRule::kPlanned);
  EXPECT_EQ(BeginOf(plan), kNow + hours{3});
  EXPECT_EQ(plan.reason.expected, Intensity{100});
  EXPECT_EQ(plan.reason.current, Intensity{300});
}

TEST(Planner, AMinimumSavingStopsWaitingForLittle) {
  Instance instance;
  Fill(instance, 1, {300, 290, 290, 290, 290, 290});
  instance.jobs = {JobOf(0, hours{1}, hours{5})};
  EXPECT_FALSE(PlanOnce(instance).jobs[0].run_now);
  PlannerOptions by_share;
  by_share.minimum_saving_share = 0.05;
  EXPECT_TRUE(PlanOnce(instance, by_share).jobs[0].run_now);
  EXPECT_EQ(PlanOnce(instance, by_share).jobs[0].reason.rule, GateRule::kSavingTooSmall);
  PlannerOptions by_grams;
  by_grams.minimum_saving = {4};  // waiting saves 0.3 kWh x 10 g/kWh
  EXPECT_TRUE(PlanOnce(instance, by_grams).jobs[0].run_now);
}

TEST(Planner, ACarefulQuantileDoesNotBetOnAnUncertainValley) {
  Instance instance;
  Fill(instance, 1, {200, 150, 150, 150, 150, 150});
  const auto values = [&](double value) {
    return Hourly(kNow + hours{1}, std::vector<double>(5, value));
  };
  instance.signals[0].forecast.p10 = values(100);
  instance.signals[0].forecast.p90 = values(260);
  instance.jobs = {JobOf(0, hours{1}, hours{4})};
  EXPECT_FALSE(PlanOnce(instance).jobs[0].run_now);
  PlannerOptions careful;
  careful.prices.risk = 0.9;
  EXPECT_TRUE(PlanOnce(instance, careful).jobs[0].run_now);
}

TEST(Planner, ATariffCanOutweighCarbon) {
  Instance instance;
  Fill(instance, 1, {300, 250, 300, 300, 300, 300});
  instance.jobs = {JobOf(0, hours{1}, hours{5})};
  PlannerOptions options;
  const auto tariff =
      core::PriceSeries::Create({"EUR", "test"}, {{{kNow, kNow + hours{3}}, 0.4},
                                                  {{kNow + hours{3}, kNow + hours{4}}, 0.1},
                                                  {{kNow + hours{4}, kNow + hours{9}}, 0.4}});
  options.prices.tariffs = {std::make_shared<core::PriceSeries>(*tariff)};
  EXPECT_EQ(BeginOf(PlanOnce(instance, options).jobs[0]), kNow + hours{1});
  options.prices.tariff_weight = 0.5;
  EXPECT_EQ(BeginOf(PlanOnce(instance, options).jobs[0]), kNow + hours{3});
}

TEST(Planner, APriceThatIsNotYetPublishedDecidesNothing) {
  Instance instance;
  Fill(instance, 1, {300, 250, 300, 300, 300, 300});
  instance.jobs = {JobOf(0, hours{1}, hours{5})};
  PlannerOptions options;
  const auto tariff = core::PriceSeries::Create(
      {"EUR", "test"},
      {{{kNow, kNow + hours{3}}, 0.4}, {{kNow + hours{3}, kNow + hours{4}}, 0.1, kNow + hours{1}}});
  options.prices.tariffs = {std::make_shared<core::PriceSeries>(*tariff)};
  options.prices.tariff_weight = 0.5;
  EXPECT_EQ(BeginOf(PlanOnce(instance, options).jobs[0]), kNow + hours{1});
}

TEST(Planner, ARampLimitSpreadsTheStartsUnlessADeadlineForbids) {
  Instance instance;
  Fill(instance, 8, {300, 300, 100, 100, 300, 300, 300, 300});
  for (int i = 0; i < 6; ++i) instance.jobs.push_back(JobOf(i, minutes{40}, hours{4}));
  PlannerOptions options;
  options.ramp_limit_per_5_minutes = Power{600};  // limit for two jobs
  const Schedule schedule = PlanOnce(instance, options);
  ExpectSound(instance, schedule);
  for (const JobPlan& plan : schedule.jobs) {
    const Time begin = BeginOf(plan);
    EXPECT_LE(std::count_if(schedule.jobs.begin(), schedule.jobs.end(),
                            [&](const JobPlan& other) {
                              return BeginOf(other) >= begin && BeginOf(other) < begin + minutes{5};
                            }),
              2);
    EXPECT_GE(begin, kNow + hours{2});
    EXPECT_LE(begin, kNow + minutes{200});
  }
  for (core::Job& job : instance.jobs) job.start_by = kNow;
  for (const JobPlan& plan : PlanOnce(instance, options).jobs) EXPECT_TRUE(plan.run_now);
}

// A device that is 5 % faster for 80 % more power, as a 3090 beside an A5000.
void FillUnlikeDevices(Instance& instance) {
  Fill(instance, 1, std::vector<double>(60, 300));
  instance.cluster.pools = {{"RTX A5000", 0, 1, 1, 1, {}}, {"RTX 3090", 0, 1, 1.05, 1.8, {}}};
}

TEST(Planner, TakesTheDeviceWithFewerGramsThatStillMeetsTheDeadline) {
  Instance instance;
  FillUnlikeDevices(instance);
  instance.jobs = {JobOf(0, hours{2}, hours{24}), JobOf(1, hours{2}, hours{24})};
  for (const JobPlan& plan : PlanOnce(instance).jobs) EXPECT_EQ(plan.pool, 0);
  // Both jobs must start at once, so neither can wait for the other.
  for (core::Job& job : instance.jobs) job.start_by = kNow + hours{1};
  EXPECT_EQ(PlanOnce(instance).jobs[1].pool + PlanOnce(instance).jobs[0].pool, 1);
  // Only the faster device is in time.
  instance.jobs = {JobOf(0, hours{2}, hours{24})};
  instance.jobs[0].finish_by = kNow + minutes{118};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 1);
}

TEST(Planner, SplitsAPausableJobOnlyWhereThatPays) {
  Instance instance;
  Fill(instance, 1, {100, 400, 400, 100, 400, 400, 400, 400});
  instance.jobs = {JobOf(0, hours{2}, hours{5})};
  instance.jobs[0].minimum_segment = minutes{15};
  instance.jobs[0].pause_cost = minutes{6};
  EXPECT_EQ(PlanOnce(instance).jobs[0].segments.size(), 1u);
  instance.jobs[0].checkpointable = true;
  const Schedule split = PlanOnce(instance);
  ASSERT_EQ(split.jobs[0].segments.size(), 2u);
  ExpectSound(instance, split);
  instance.jobs[0].pause_cost = minutes{90};
  EXPECT_EQ(PlanOnce(instance).jobs[0].segments.size(), 1u);
}

TEST(Planner, PausesARunningJobAndResumesIt) {
  Instance instance;
  Fill(instance, 1, {400, 400, 400, 100, 100, 100, 400, 400});
  instance.jobs = {JobOf(0, hours{3}, hours{8})};
  instance.jobs[0].checkpointable = true;
  instance.jobs[0].pause_cost = minutes{6};
  Problem problem = instance.Finish();
  instance.views[0] = {&instance.jobs[0], JobState::kRunning, hours{2}, 0, kNow - hours{1}, 0};
  Schedule schedule;
  schedule.jobs.resize(1);
  MakePlanner({})->Update(problem, {}, schedule);
  EXPECT_FALSE(schedule.jobs[0].run_now);
  EXPECT_EQ(schedule.jobs[0].reason.rule, GateRule::kPausedForCleaner);
  EXPECT_EQ(BeginOf(schedule.jobs[0]), kNow + hours{3});
  // The job cannot pause before its segment is long enough.
  instance.jobs[0].minimum_segment = minutes{90};
  MakePlanner({})->Update(problem, {}, schedule);
  EXPECT_TRUE(schedule.jobs[0].run_now);
}

TEST(Planner, KeepsTheDevicesOfAJobThatCannotBePaused) {
  Instance instance;
  Fill(instance, 1, {100, 100, 100, 400, 400, 400, 400, 400});
  instance.jobs = {JobOf(0, hours{3}, hours{8}), JobOf(1, hours{1}, hours{6})};
  const Problem problem = instance.Finish();
  instance.views[0] = {&instance.jobs[0], JobState::kRunning, hours{2}, 0, kNow - hours{1}, 0};
  Schedule schedule;
  schedule.jobs.resize(2);
  MakePlanner({})->Update(problem, {}, schedule);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  EXPECT_EQ(BeginOf(schedule.jobs[1]), kNow + hours{2});
}

TEST(Planner, RunsAJobThatIsLateAsSoonAsPossible) {
  Instance instance;
  Fill(instance, 1, {400, 400, 100, 100, 100, 100});
  instance.jobs = {JobOf(0, hours{1}, hours{0}), JobOf(1, hours{1}, hours{5})};
  instance.jobs[0].start_by = kNow - hours{1};
  const Schedule schedule = PlanOnce(instance);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  EXPECT_EQ(schedule.jobs[0].reason.rule, GateRule::kCompulsory);
  EXPECT_EQ(BeginOf(schedule.jobs[1]), kNow + hours{2});
}

TEST(Planner, StartsNowWhereWaitingWouldMakeAnotherJobLate) {
  Instance instance;
  Fill(instance, 1, {400, 400, 400, 100, 100, 100, 100});
  for (int i = 0; i < 3; ++i) instance.jobs.push_back(JobOf(i, hours{2}, hours{4}));
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  EXPECT_EQ(std::count_if(schedule.jobs.begin(), schedule.jobs.end(),
                          [](const JobPlan& plan) { return plan.run_now; }),
            1);
}

// A small world that does what the plan says. Every hour has a new forecast, unrelated to the last
// one.
class World {
 public:
  World(Instance& instance, std::uint64_t seed) : instance_(instance), random_(seed) {
    problem_ = instance.Finish();
    schedule_.jobs.resize(instance.jobs.size());
  }

  void Run() {
    const auto planner = MakePlanner({});
    for (int step = 0; !instance_.views.empty(); ++step) {
      ASSERT_LT(step, 3000);
      problem_.now = instance_.signals[0].now = now_;
      problem_.jobs = instance_.views;
      planner->Update(problem_, {}, schedule_);
      Obey();
      if (::testing::Test::HasFatalFailure()) return;
      Advance(std::min(schedule_.wake_at, Time{std::chrono::floor<hours>(now_) + hours{1}}));
    }
  }

  Time FirstBegin(core::JobId job) const { return first_begin_.at(job); }
  Time End(core::JobId job) const { return end_.at(job); }

 private:
  // Pauses jobs, then starts the jobs that the plan wants now, which must fit.
  void Obey() {
    int used = 0;
    for (std::size_t i = 0; i < instance_.views.size(); ++i) {
      JobView& view = instance_.views[i];
      const bool run = schedule_.jobs[i].run_now;
      if (run) used += view.job->devices;
      if (view.state == JobState::kRunning && !run) {
        ASSERT_TRUE(view.job->checkpointable);
        view.state = JobState::kPaused;
        ++view.pauses;
      } else if (view.state != JobState::kRunning && run) {
        view.state = JobState::kRunning;
        view.pool = schedule_.jobs[i].pool;
        view.segment_begin = now_;
        first_begin_.emplace(view.job->id, now_);
      }
    }
    ASSERT_LE(used, instance_.cluster.pools[0].count);
  }

  Time EndIfGoingOn(const JobView& view) const {
    const Duration overhead = view.pauses > 0 ? view.job->pause_cost : Duration::zero();
    return std::max(now_, view.segment_begin + overhead) + view.remaining;
  }

  void Advance(Time until) {
    for (const JobView& view : instance_.views)
      if (view.state == JobState::kRunning) until = std::min(until, EndIfGoingOn(view));
    for (std::size_t i = instance_.views.size(); i-- > 0;) {
      JobView& view = instance_.views[i];
      if (view.state != JobState::kRunning) continue;
      view.remaining = std::min(view.remaining, EndIfGoingOn(view) - until);
      if (view.remaining > Duration::zero()) continue;
      end_[view.job->id] = until;
      instance_.views.erase(instance_.views.begin() + static_cast<std::ptrdiff_t>(i));
      schedule_.jobs.erase(schedule_.jobs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (std::chrono::floor<hours>(until) > std::chrono::floor<hours>(now_)) NewForecast(until);
    now_ = until;
  }

  void NewForecast(Time at) {
    const Time hour = std::chrono::floor<hours>(at);
    std::vector<core::Sample> samples;
    for (int i = 0; i < 96; ++i)
      samples.push_back({{hour + hours{i}, hour + hours{i + 1}},
                         {random_.Uniform(50, 500)},
                         core::SampleStatus::kForecast});
    core::SignalView& view = instance_.signals[0];
    view.known = *core::IntensitySeries::Create({}, {samples.front()});
    view.forecast.series = *core::IntensitySeries::Create({}, {samples.begin() + 1, samples.end()});
  }

  Instance& instance_;
  Random random_;
  Problem problem_;
  Schedule schedule_;
  Time now_ = kNow;
  std::map<core::JobId, Time> first_begin_, end_;
};

TEST(Planner, MeetsEveryDeadlineWhateverTheForecastDoes) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Instance instance;
    FillQueue(instance, seed, 24, RandomValues(seed, 96));
    World world(instance, seed);
    world.Run();
    if (HasFatalFailure()) return;
    for (const core::Job& job : instance.jobs) {
      EXPECT_LE(world.FirstBegin(job.id), *job.start_by);
      if (job.checkpointable) {
        EXPECT_LE(world.End(job.id), *job.start_by + job.duration);
      } else {
        EXPECT_EQ(world.End(job.id), world.FirstBegin(job.id) + job.duration);
      }
    }
  }
}

// A daily wave with noise.
std::vector<double> SwingingValues(std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (int hour = 0; hour < 100; ++hour)
    values.push_back(300 + 150 * std::cos(hour * 0.2618) + random.Uniform(-30, 30));
  return values;
}

void FillLongQueue(Instance& instance, int jobs, int devices,
                   const std::vector<double>& values = SwingingValues(8)) {
  Fill(instance, devices, values);
  Random random(8);
  for (int i = 0; i < jobs; ++i) {
    instance.jobs.push_back(JobOf(i, minutes{5 + random.Below(40)}, hours{24 + random.Below(72)}));
    instance.jobs.back().devices = random.Below(20) == 0 ? 2 : 1;
    instance.jobs.back().power = {random.Uniform(150, 400)};
  }
}

double GapOf(const Schedule& schedule) {
  return schedule.expected->grams / schedule.lower_bound->grams - 1;
}

TEST(Planner, OfTenThousandJobsIsNearItsBound) {
  Instance instance;
  FillLongQueue(instance, 10'000, 64);
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  EXPECT_GE(GapOf(schedule), 0);
  EXPECT_LE(GapOf(schedule), 0.03);
}

// Hours without a pattern are the hard case: the planner gets near the bound more slowly.
TEST(Planner, OfALongQueueInHoursWithoutAPatternIsNotFarFromItsBound) {
  Instance instance;
  FillLongQueue(instance, 1'500, 10, RandomValues(8, 100));
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  EXPECT_GE(GapOf(schedule), 0);
  EXPECT_LE(GapOf(schedule), 0.06);
}

// A planner with its plan of 1,500 jobs on 10 devices.
struct PlannedQueue {
  PlannedQueue() {
    FillLongQueue(instance, 1'500, 10);
    Update({});
  }
  void Update(const Change& change) {
    problem = instance.Finish();
    schedule.jobs.resize(problem.jobs.size());
    planner->Update(problem, change, schedule);
  }

  Instance instance;
  Problem problem;
  std::unique_ptr<Policy> planner = MakePlanner({});
  Schedule schedule;
};

TEST(Planner, OfALongQueueGoesOnFromItsRentsUnderAnotherForecast) {
  PlannedQueue queue;
  ASSERT_TRUE(queue.schedule.rents);
  EXPECT_LE(GapOf(queue.schedule), 0.03);
  queue.instance.signals[0] = ViewOf(SwingingValues(9));
  queue.Update({true, false, {}});
  ExpectSound(queue.instance, queue.schedule);
  EXPECT_GE(GapOf(queue.schedule), 0);
  EXPECT_LE(GapOf(queue.schedule), 0.03);
}

// A job that does not fit beside the standing plan makes the planner plan anew, and the new plan is
// as good.
TEST(Planner, OfALongQueueIsAsGoodWhenAJobUpsetsIt) {
  PlannedQueue queue;
  queue.instance.jobs.push_back(JobOf(1'500, hours{10}, hours{30}));
  queue.instance.jobs.back().devices = 10;
  queue.Update({false, false, {1'500}});
  ExpectSound(queue.instance, queue.schedule);
  EXPECT_LE(GapOf(queue.schedule), 0.05);
}

// There are hardly more devices than the work needs. Every job is in time, whatever the order of
// the rents.
TEST(Planner, OfALongQueueThatIsTightKeepsTheDeadlines) {
  Instance instance;
  Fill(instance, 4, RandomValues(5, 100));
  for (int i = 0; i < 200; ++i)
    instance.jobs.push_back(JobOf(i, minutes{60 + 60 * (i % 2)}, hours{i / 4 + (i / 4) / 2 + 2}));
  ExpectSound(instance, PlanOnce(instance));
}

}  // namespace
}  // namespace ebb::plan
