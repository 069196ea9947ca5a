#include "sim/comparison.h"

#include <gtest/gtest.h>

namespace ebb::sim {
namespace {

using std::chrono::hours;

PolicyFigures Policy(const std::string& name, const std::vector<double>& grams) {
  PolicyFigures policy;
  policy.label = policy.policy = name;
  Time start{hours{24}};
  for (const double value : grams) {
    StartFigures figures;
    figures.start = start;
    figures.use.emissions = {value};
    figures.use.energy = Energy::Joules(3.6e6);
    figures.makespan = hours{10};
    figures.wait_h = {0, 4};
    figures.stretch = {1, 3};
    policy.starts.push_back(figures);
    start += hours{24};
  }
  return policy;
}

Comparison Example() {
  return Compare({Policy("run-now", {100, 200, 100, 100, 100}),
                  Policy("edf", {90, 210, 90, 90, 90}), Policy("planner", {80, 110, 90, 101, 79})},
                 {70, 100, 80, 90, 60}, "by hand", {});
}

TEST(Comparison, SavingsAreOfGramsSummedOverStartDates) {
  const Comparison comparison = Example();
  const PolicyFigures& planner = comparison.policies[2];
  EXPECT_DOUBLE_EQ(planner.use.emissions.grams, 460);
  EXPECT_DOUBLE_EQ(planner.saving_percent->value, 100.0 * 140 / 600);
  EXPECT_DOUBLE_EQ(planner.saving_on_edf_percent->value, 100.0 * 110 / 570);
  EXPECT_DOUBLE_EQ(planner.share_captured_percent->value, 70);
  EXPECT_DOUBLE_EQ(comparison.bound_saving_percent->value, 100.0 * 200 / 600);
  EXPECT_DOUBLE_EQ(comparison.policies[0].saving_percent->value, 0);
  EXPECT_EQ(planner.worse_than_run_now, 1);
  EXPECT_EQ(comparison.policies[1].worse_than_run_now, 1);
}

// Energy without a known intensity has unknown emissions, not 0 g.
TEST(Comparison, StartDatesWithUnknownEmissionsAreInNoSaving) {
  PolicyFigures planner = Policy("planner", {80, 0});
  planner.starts[1].use.energy_without_intensity = planner.starts[1].use.energy;
  const Comparison comparison =
      Compare({Policy("run-now", {100, 200}), planner}, {70, 0}, "by hand", {});
  EXPECT_EQ(comparison.known_starts, std::vector<std::size_t>{0});
  EXPECT_DOUBLE_EQ(comparison.policies[1].saving_percent->value, 20);
  EXPECT_DOUBLE_EQ(comparison.policies[1].saving_with_idle_percent->value, 20);
  EXPECT_DOUBLE_EQ(comparison.bound_saving_percent->value, 30);

  for (StartFigures& start : planner.starts) start.use.energy_without_intensity = start.use.energy;
  const Comparison none = Compare({Policy("run-now", {100, 200}), planner}, {70, 0}, "", {});
  EXPECT_FALSE(none.policies[1].saving_percent);
  EXPECT_FALSE(none.bound_saving_percent);
}

PolicyFigures WithIdle(PolicyFigures policy, const std::vector<double>& grams) {
  for (std::size_t i = 0; i < grams.size(); ++i) policy.starts[i].idle.emissions = {grams[i]};
  return policy;
}

// Planning for clean hours takes longer, and free devices draw all the while.
TEST(Comparison, IdleDrawStandsBesideSavingsAndInsideOnRequest) {
  const auto compare = [](IdleDraw idle) {
    return Compare({WithIdle(Policy("run-now", {100, 100}), {10, 10}),
                    WithIdle(Policy("planner", {80, 100}), {25, 35})},
                   {70, 90}, "", {}, idle);
  };
  const PolicyFigures beside = compare(IdleDraw::kBeside).policies[1];
  EXPECT_DOUBLE_EQ(beside.saving_percent->value, 10);
  EXPECT_DOUBLE_EQ(beside.saving_with_idle_percent->value, 100.0 * (220 - 240) / 220);
  EXPECT_DOUBLE_EQ(beside.share_captured_percent->value, 100.0 * 20 / 40);
  EXPECT_EQ(beside.worse_than_run_now, 0);
  const PolicyFigures inside = compare(IdleDraw::kInside).policies[1];
  EXPECT_DOUBLE_EQ(inside.saving_percent->value, inside.saving_with_idle_percent->value);
  EXPECT_DOUBLE_EQ(inside.saving_with_idle_percent->value, beside.saving_with_idle_percent->value);
  EXPECT_DOUBLE_EQ(inside.share_captured_percent->value, 100.0 * (220 - 240) / (220 - 160));
  EXPECT_EQ(inside.worse_than_run_now, 1) << "80 + 25 is below 110, 100 + 35 is not";
  EXPECT_DOUBLE_EQ(inside.use.emissions.grams, 180) << "the jobs' own grams stay theirs";
  EXPECT_DOUBLE_EQ(inside.idle.emissions.grams, 60);
}

TEST(Comparison, WaitsAreOverAllJobsOfAllStartDates) {
  const PolicyFigures planner = Example().policies[2];
  EXPECT_EQ(planner.jobs, 10);
  EXPECT_DOUBLE_EQ(planner.mean_wait_h, 2);
  EXPECT_DOUBLE_EQ(planner.p95_wait_h, 4);
  EXPECT_DOUBLE_EQ(planner.mean_stretch, 2);
  EXPECT_DOUBLE_EQ(planner.mean_makespan_h, 10);
}

TEST(Comparison, IntervalsHoldTheValueAndAreTheSameEveryTime) {
  const Estimate a = *Example().policies[2].share_captured_percent;
  const Estimate b = *Example().policies[2].share_captured_percent;
  EXPECT_LE(*a.low, a.value);
  EXPECT_GE(*a.high, a.value);
  EXPECT_EQ(*a.low, *b.low);
  EXPECT_EQ(*a.high, *b.high);
}

TEST(Comparison, NothingToSaveHasNoShare) {
  const Comparison comparison =
      Compare({Policy("run-now", {100, 100}), Policy("planner", {100, 100})}, {100, 100}, "", {});
  EXPECT_FALSE(comparison.policies[1].share_captured_percent.has_value());
  EXPECT_DOUBLE_EQ(comparison.policies[1].saving_percent->value, 0);
}

TEST(Comparison, FewStartDatesHaveNoInterval) {
  const Comparison comparison = Compare({Policy("run-now", {100, 110})}, {50, 60}, "", {});
  EXPECT_FALSE(comparison.policies[0].saving_percent->low.has_value());
}

TEST(Figures, MissesAreStartsAndEndsAfterTheirLatestMoment) {
  Simulation simulation;
  simulation.start = Time{hours{10}};
  core::Job job;
  job.submitted = simulation.start;
  job.duration = hours{2};
  job.start_by = Time{hours{12}};
  job.finish_by = Time{hours{15}};
  for (const int start : {12, 13, 14}) {
    simulation.jobs.push_back(job);
    JobOutcome outcome;
    outcome.segments = {{0, {Time{hours{start}}, Time{hours{start + 2}}}}};
    simulation.outcomes.push_back(outcome);
  }
  const core::Cluster cluster{{{"s", "X", {}}}, {{"gpu", 0, 3, 1, 1, {}}}};
  const StartFigures figures = FiguresOf(simulation, cluster);
  EXPECT_EQ(figures.late_starts, 2);
  EXPECT_EQ(figures.late_ends, 1);
  EXPECT_EQ(figures.makespan, Duration{hours{6}});
  EXPECT_EQ(figures.wait_h, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(figures.stretch, (std::vector<double>{2, 2.5, 3}));
}

TEST(Percentile, IsTheNearestRank) {
  EXPECT_EQ(Percentile({5, 1, 3, 2, 4}, 0.5), 3);
  EXPECT_EQ(Percentile({5, 1, 3, 2, 4}, 0.95), 5);
  EXPECT_EQ(Percentile({5}, 0.025), 5);
}

}  // namespace
}  // namespace ebb::sim
