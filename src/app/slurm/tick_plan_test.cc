#include "app/slurm/tick_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/hourly_for_test.h"

namespace ebb::app {
namespace {

using plan::testing::Hourly;
using std::chrono::hours;

const Time kNow = *ParseTime("2026-11-27T18:00Z");

// 300 g/kWh, but for 100 from 03:00 to 05:00 and 150 from 05:00 to 09:00.
core::SignalView Grid() {
  core::SignalView view;
  view.now = kNow;
  view.known = Hourly(kNow - hours{24}, std::vector<double>(25, 300));
  std::vector<double> ahead(71, 300);
  ahead[8] = ahead[9] = 100;
  std::fill(ahead.begin() + 10, ahead.begin() + 14, 150);
  view.forecast.issued = kNow;
  view.forecast.method = "test";
  view.forecast.series = Hourly(kNow + hours{1}, ahead);
  return view;
}

// A job of two hours on a GPU that waits until 20:00 of the next day.
slurm::SlurmJob Waiting(const std::string& id) {
  slurm::SlurmJob job;
  job.id = id;
  job.name = "train";
  job.partitions = {"main"};
  job.reason = "BeginTime";
  job.priority = 1;
  job.submitted = kNow - hours{1};
  job.start = kNow + hours{26};
  job.time_limit = hours{2};
  job.gpus = 1;
  job.comment = "ebb:start-by=2026-11-28T20:00:00Z";
  return job;
}

slurm::SlurmNode Node(int gpus, int used) {
  slurm::SlurmNode node;
  node.name = "n1";
  node.partitions = {"main"};
  node.is_up = true;
  node.cores = 16;
  node.gpus = gpus;
  node.used_gpus = used;
  return node;
}

std::vector<TickChange> Plan(const std::vector<slurm::SlurmJob>& jobs,
                             const std::vector<slurm::SlurmNode>& nodes = {},
                             const core::SignalView& view = Grid()) {
  return PlanTick(jobs, nodes, view, kNow + hours{1});
}

std::vector<std::string> Starts(const std::vector<TickChange>& changes) {
  std::vector<std::string> starts;
  for (const TickChange& change : changes) starts.push_back(FormatTime(change.to).substr(8, 8));
  return starts;
}

TEST(TickPlan, MovesAJobToTheCleanestHours) {
  const auto changes = Plan({Waiting("7")});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].id, "7");
  EXPECT_EQ(FormatTime(changes[0].to), "2026-11-28T03:00:00Z");
  EXPECT_EQ(changes[0].expected_to->g_per_kwh, 100);
  EXPECT_EQ(changes[0].expected_from->g_per_kwh, 300);
  slurm::SlurmJob there = Waiting("7");
  there.start = changes[0].to;
  EXPECT_TRUE(Plan({there}).empty()) << "a second tick has nothing to do";
}

TEST(TickPlan, NeverBeyondTheLatestStart) {
  slurm::SlurmJob job = Waiting("7");
  job.comment = "ebb:start-by=2026-11-28T01:00:00Z";
  job.start = *ParseTime("2026-11-28T03:00Z");  // somebody moved it
  const auto changes = Plan({job});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_LE(changes[0].to, changes[0].latest);
  EXPECT_EQ(FormatTime(changes[0].latest), "2026-11-28T01:00:00Z");
}

TEST(TickPlan, LeavesOtherJobsAlone) {
  using Change = void (*)(slurm::SlurmJob&);
  const std::vector<std::pair<const char*, Change>> others{
      {"held", [](slurm::SlurmJob& job) { job.priority = 0; }},
      {"with a reservation", [](slurm::SlurmJob& job) { job.has_reservation = true; }},
      {"with a dependency", [](slurm::SlurmJob& job) { job.has_dependency = true; }},
      {"eligible", [](slurm::SlurmJob& job) { job.reason = "Resources"; }},
      {"of a service", [](slurm::SlurmJob& job) { job.comment += " {ebb wait 0 12}"; }},
      {"without Ebb", [](slurm::SlurmJob& job) { job.comment = "hello"; }},
      {"with an unreadable wish", [](slurm::SlurmJob& job) { job.comment += ";start-bye=2h"; }},
      {"running", [](slurm::SlurmJob& job) { job.state = slurm::JobState::kRunning; }},
      {"too wide for the cluster", [](slurm::SlurmJob& job) { job.gpus = 99; }},
      {"of another partition", [](slurm::SlurmJob& job) { job.partitions = {"other"}; }},
  };
  for (const auto& [what, change] : others) {
    slurm::SlurmJob job = Waiting("7");
    change(job);
    EXPECT_TRUE(Plan({job}, {Node(4, 0)}).empty()) << what;
  }
}

TEST(TickPlan, NoMoreStartTogetherThanThereAreGpus) {
  const std::vector<slurm::SlurmJob> jobs{Waiting("1"), Waiting("2"), Waiting("3"), Waiting("4")};
  auto starts = Starts(Plan(jobs, {Node(2, 2)}));
  ASSERT_EQ(starts.size(), 4u) << "what is busy now is free later";
  EXPECT_EQ(std::ranges::count(starts, "28T03:00"), 2);
  for (const std::string& start : starts) EXPECT_GE(start, "28T03:00");
  EXPECT_EQ(std::ranges::count(Starts(Plan(jobs)), "28T03:00"), 4) << "without limits";
}

TEST(TickPlan, JobsThatStartTogetherAlreadyAreSpread) {
  std::vector<slurm::SlurmJob> jobs{Waiting("1"), Waiting("2"), Waiting("3")};
  for (slurm::SlurmJob& job : jobs) job.start = *ParseTime("2026-11-28T03:00Z");
  const auto changes = Plan(jobs, {Node(1, 0)});
  EXPECT_EQ(changes.size(), 2u);
  for (const TickChange& change : changes) EXPECT_NE(change.to, *jobs[0].start);
  // Also if the others have to start earlier.
  jobs.pop_back();
  for (slurm::SlurmJob& job : jobs) job.comment = "ebb:start-by=2026-11-28T03:00:00Z";
  const auto earlier = Plan(jobs, {Node(1, 0)});
  ASSERT_EQ(earlier.size(), 1u);
  EXPECT_LE(earlier[0].to, *jobs[0].start - hours{2});
}

// The most GPUs that are in use at one time by jobs of two hours that start at these times.
int MostAtOnce(const std::vector<Time>& starts) {
  std::ptrdiff_t most = 0;
  for (const Time at : starts)
    most = std::max(most, std::ranges::count_if(starts, [&](Time start) {
                      return start <= at && at < start + hours{2};
                    }));
  return static_cast<int>(most);
}

// Jobs that stay must not take the room that the planner gave to jobs that move.
TEST(TickPlan, ManyJobsOfOneTimeAreSpread) {
  for (const int gpus : {1, 3, 4}) {
    std::vector<slurm::SlurmJob> jobs;
    for (int i = 1; i <= 7; ++i) {
      jobs.push_back(Waiting(std::to_string(i)));
      jobs.back().start = *ParseTime("2026-11-28T03:00Z");
    }
    std::vector<Time> starts;
    for (const TickChange& change : Plan(jobs, {Node(gpus, 0)})) starts.push_back(change.to);
    starts.resize(7, *jobs[0].start);
    EXPECT_EQ(MostAtOnce(starts), gpus);
  }
}

TEST(TickPlan, StartsAtOnceOnlyWhatIsFree) {
  core::SignalView clean = Grid();
  clean.known = Hourly(kNow - hours{24}, std::vector<double>(27, 50));
  std::vector<double> ahead(69, 300);
  clean.forecast.series = Hourly(kNow + hours{3}, ahead);
  const std::vector<slurm::SlurmJob> jobs{Waiting("1"), Waiting("2"), Waiting("3")};
  const auto changes = Plan(jobs, {Node(3, 2)}, clean);
  EXPECT_EQ(std::ranges::count_if(changes, [](const auto& c) { return c.to == kNow; }), 1);
}

TEST(TickPlan, AHeterogeneousJobIsOneJob) {
  slurm::SlurmJob first = Waiting("7+0"), second = Waiting("7+1");
  first.leader = second.leader = "7";
  second.comment.clear();
  EXPECT_TRUE(Plan({first, second}).empty()) << "one component is not Ebb's";
  second.comment = first.comment;
  const auto changes = Plan({first, second}, {Node(2, 0)});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].id, "7");
  EXPECT_TRUE(Plan({first, second}, {Node(1, 0)}).empty()) << "it needs both GPUs";
}

TEST(TickPlan, NeverBeforeTheBeginOfItsOwner) {
  slurm::SlurmJob job = Waiting("7");
  job.comment += ";not-before=2026-11-28T04:30:00Z";
  const auto changes = Plan({job}, {Node(2, 0)});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(FormatTime(changes[0].to), "2026-11-28T04:30:00Z");
}

TEST(TickPlan, WhileNothingIsKnownNothingMoves) {
  core::SignalView unknown;
  unknown.now = kNow;
  EXPECT_TRUE(Plan({Waiting("7")}, {Node(2, 0)}, unknown).empty());
  EXPECT_TRUE(Plan({}).empty());
}

TEST(TickPlan, ASmallGainIsNotWorthAMove) {
  slurm::SlurmJob job = Waiting("7");
  job.start = *ParseTime("2026-11-28T19:00Z");
  core::SignalView flat = Grid();
  std::vector<double> ahead(71, 300);
  ahead[8] = ahead[9] = 299;
  flat.forecast.series = Hourly(kNow + hours{1}, ahead);
  EXPECT_TRUE(Plan({job}, {}, flat).empty());
}

}  // namespace
}  // namespace ebb::app
