#include "runtime/budget_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"

namespace ebb::runtime {
namespace {

using core::BudgetAction;
using core::BudgetLevel;
using core::BudgetMeasure;
using std::chrono::seconds;

const Time kDay = *ParseTime("2023-05-01");

BudgetWatch::Terms TermsOf(core::Budget budget) {
  return {std::move(budget), {}, {}, 1, {}, seconds{1}};
}

// A program that draws `watts`, takes `checkpoint_s` to end once it is asked, and is sampled once
// per second. Time and energy are synthetic.
struct WatchedRun {
  BudgetWatch::Terms terms;
  double checkpoint_s = 0;
  double intensity = 100;
  std::vector<core::BudgetEvent> events{};
  core::BudgetUse used{};
  double worst_sample_kwh = 0;
  bool was_killed = false;
  bool ended_by_itself = false;

  // Returns the seconds for which the program ran.
  int Play(int longest_s, const std::function<double(int)>& watts) {
    BudgetWatch watch(terms);
    double asked_for_s = -1;
    double joules = 0;
    for (int second = 1; second <= longest_s; ++second) {
      const double power_w = watts(second);
      joules += power_w;
      worst_sample_kwh = std::max(worst_sample_kwh, power_w / 3.6e6);
      const Energy sample = Energy::Joules(power_w);
      used += {sample, EmissionsOf(sample, {}, {intensity}), {}, Intensity{intensity}};
      if (asked_for_s >= 0 && ++asked_for_s >= checkpoint_s) {
        ended_by_itself = true;
        return second;
      }
      const Time now = kDay + seconds{second};
      BudgetStep step = watch.OnSample(
          {now, now, now - kDay, used, {std::max(power_w, joules / second)}, Intensity{intensity}});
      const BudgetStep late = watch.OnTime(now - kDay, now, now);
      step.order = std::max(step.order, late.order);
      events.insert(events.end(), step.events.begin(), step.events.end());
      events.insert(events.end(), late.events.begin(), late.events.end());
      if (step.order == BudgetOrder::kKill) {
        was_killed = true;
        return second;
      }
      if (step.order == BudgetOrder::kAskToEnd) asked_for_s = 0;
    }
    return longest_s;
  }
  int Count(BudgetLevel level) const {
    return static_cast<int>(std::count_if(events.begin(), events.end(),
                                          [&](const auto& e) { return e.level == level; }));
  }
};

TEST(BudgetWatchTest, WarnsAtEightyPercentAndLeavesRoomForTheCheckpoint) {
  // 100 W for 3600 s is 360 kJ; 30 s of grace and the next sample are 3100 J.
  core::Budget budget{Energy::Joules(359'999), std::nullopt, BudgetAction::kStop, seconds{30}};
  WatchedRun run{TermsOf(budget), 30};
  const int ran_s = run.Play(10'000, [](int) { return 100.0; });
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[0].level, BudgetLevel::kWarning);
  EXPECT_EQ(run.events[0].wall, kDay + seconds{2880});
  EXPECT_EQ(run.events[1].level, BudgetLevel::kReached);
  EXPECT_EQ(run.events[1].wall, kDay + seconds{3569});
  EXPECT_NEAR(run.events[1].limit, 0.1, 1e-6);
  EXPECT_TRUE(run.ended_by_itself);
  EXPECT_EQ(ran_s, 3599);
  EXPECT_LE(run.used.energy, *budget.energy);
}

TEST(BudgetWatchTest, IsNeverExceededByMoreThanOneSample) {
  // Power jumps, programs end slowly or never, and budgets have every size.
  Random random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    core::Budget budget;
    budget.action = trial % 2 ? BudgetAction::kStop : BudgetAction::kPause;
    budget.grace = seconds{static_cast<int>(random.Uniform(0, 60))};
    const bool in_grams = trial % 3 == 0;
    const double kwh = std::exp(random.Uniform(-9, 0));
    WatchedRun run{TermsOf(budget), random.Uniform(0, 100), random.Uniform(1, 900)};
    if (in_grams)
      run.terms.budget.emissions = Emissions{kwh * run.intensity};
    else
      run.terms.budget.energy = Energy::Joules(kwh * 3.6e6);
    double power_w = random.Uniform(0, 3000);
    run.Play(20'000, [&](int) {
      if (random.Uniform(0, 1) < 0.02) power_w = random.Uniform(0, 3000);
      return power_w;
    });
    EXPECT_LE(run.used.energy.kwh(), kwh + run.worst_sample_kwh * (1 + 1e-9)) << trial;
    EXPECT_LE(run.Count(BudgetLevel::kWarning), 1);
    EXPECT_LE(run.Count(BudgetLevel::kReached), 1);
  }
}

TEST(BudgetWatchTest, EachCrossingActsOnceOverAllAttempts) {
  core::Budget budget{Energy::Joules(100'000), std::nullopt, BudgetAction::kPause, seconds{5}};
  WatchedRun first{TermsOf(budget), 2};
  first.Play(10'000, [](int) { return 100.0; });
  EXPECT_EQ(first.events.size(), 2u);
  WatchedRun second{TermsOf(budget), 2};
  second.terms.used_before = first.used;
  second.terms.fired = first.events;
  second.terms.attempt = 2;
  EXPECT_EQ(second.Play(500, [](int) { return 100.0; }), 500)
      << "a resumed run was told to go on: the same limit does not pause it again";
  EXPECT_TRUE(second.events.empty());
  WatchedRun third{TermsOf(budget), 2};
  third.terms.budget.energy = Energy::Joules(200'000);
  third.terms.used_before = first.used;
  third.terms.fired = first.events;
  third.Play(10'000, [](int) { return 100.0; });
  EXPECT_EQ(third.Count(BudgetLevel::kWarning), 1) << "a raised limit is another one";
  EXPECT_EQ(third.Count(BudgetLevel::kReached), 1);
}

// The supervisor died before it could report that the run had failed, and the run was started
// again.
TEST(BudgetWatchTest, ALimitThatStopsHoldsInEveryAttempt) {
  core::Budget budget{Energy::Joules(100'000), std::nullopt, BudgetAction::kStop, seconds{5}};
  WatchedRun first{TermsOf(budget), 2};
  first.Play(10'000, [](int) { return 100.0; });
  WatchedRun second{TermsOf(budget), 2};
  second.terms.used_before = first.used;
  second.terms.fired = first.events;
  second.terms.attempt = 2;
  EXPECT_LE(second.Play(500, [](int) { return 100.0; }), 5);
  EXPECT_EQ(second.Count(BudgetLevel::kReached), 1) << "what ended the attempt is on record";
  EXPECT_EQ(second.Count(BudgetLevel::kWarning), 0) << "said before";
}

TEST(BudgetWatchTest, LogRecordsAndLetsTheRunGoOn) {
  core::Budget budget{std::nullopt, Emissions{0.999}, BudgetAction::kLog, seconds{30}};
  WatchedRun run{TermsOf(budget)};
  EXPECT_EQ(run.Play(1000, [](int) { return 100.0; }), 1000);
  ASSERT_EQ(run.events.size(), 2u);
  // 100 W at 100 g/kWh: 1 g takes 360 s.
  EXPECT_EQ(run.events[1].wall, kDay + seconds{360}) << "nothing is kept back where nothing ends";
}

TEST(BudgetWatchTest, UnknownIntensityCountsAtTheHighestMet) {
  core::Budget budget{std::nullopt, Emissions{100}, BudgetAction::kStop, seconds{0}};
  BudgetWatch watch(TermsOf(budget));
  core::BudgetUse use{Energy::Joules(3.6e6 / 10), {}, Energy::Joules(3.6e6 / 10), std::nullopt};
  auto step = watch.OnSample({kDay, kDay, {}, use, {100}, std::nullopt});
  ASSERT_EQ(step.events.size(), 1u);
  EXPECT_EQ(step.events[0].level, BudgetLevel::kUnwatched);
  EXPECT_TRUE(watch.OnSample({kDay, kDay, {}, use, {100}, std::nullopt}).events.empty());
  use.highest = Intensity{850};
  step = watch.OnSample({kDay, kDay, {}, use, {100}, std::nullopt});
  ASSERT_EQ(step.events.size(), 1u);
  EXPECT_EQ(step.events[0].level, BudgetLevel::kWarning);
  EXPECT_DOUBLE_EQ(step.events[0].used, 85);
}

TEST(BudgetWatchTest, AStoppedRunGoesOnOnlyWithALargerBudget) {
  core::Budget budget{Energy::Joules(3.6e6), Emissions{50}, BudgetAction::kStop, seconds{5}};
  core::BudgetEvent reached;
  reached.level = BudgetLevel::kReached;
  reached.measure = BudgetMeasure::kEnergy;
  reached.action = BudgetAction::kStop;
  reached.limit = 1;
  const core::BudgetRecord record{budget, {reached}};
  EXPECT_NE(core::StoppedBy(record, budget), nullptr);
  budget.emissions = Emissions{500};
  EXPECT_NE(core::StoppedBy(record, budget), nullptr) << "the other limit does not matter";
  budget.energy = Energy::Joules(2 * 3.6e6);
  EXPECT_EQ(core::StoppedBy(record, budget), nullptr);
}

}  // namespace
}  // namespace ebb::runtime
