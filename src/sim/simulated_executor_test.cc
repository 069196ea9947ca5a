#include "sim/simulated_executor.h"

#include "testing/executor_contract.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-05-01");

core::Cluster TwoDevices() { return {{{"here", "Z", {1.0}}}, {{"cpu", 0, 2, 1, 1, {}}}}; }

core::Job JobOf(core::JobId id, Duration duration) {
  core::Job job;
  job.id = id;
  job.submitted = kBegin;
  job.duration = duration;
  job.power = {100};
  job.checkpointable = true;
  return job;
}

class SimulatedWorld {
 public:
  runtime::Executor& executor() { return executor_; }
  core::JobId Add(ebb::testing::JobKind kind) {
    using ebb::testing::JobKind;
    SimulatedExecutor& into = executor_;
    // Half of the programs fail, drawn by number: the first one of this kind.
    do {
      core::Job job = JobOf(++last_, kind == JobKind::kLong ? hours{1000} : minutes{10});
      if (kind == JobKind::kUnstartable) job.devices = 3;
      into.AddJob(job);
    } while (into.runs().at(last_).program_fails != (kind == JobKind::kFailing));
    return last_;
  }
  Duration patience() { return hours{2}; }

 private:
  SimulatedExecutor executor_{TwoDevices(), kBegin, {.program_failures = 0.5}};
  core::JobId last_ = 0;
};

TEST(SimulatedExecutorTest, NamesTheDevicesOfEverySegment) {
  SimulatedExecutor executor(TwoDevices(), kBegin, {});
  for (core::JobId id : {1, 2, 3}) executor.AddJob(JobOf(id, hours{id}));
  ASSERT_TRUE(executor.Execute(engine::StartJob{1, 1, 0}));
  ASSERT_TRUE(executor.Execute(engine::StartJob{2, 1, 0}));
  ASSERT_TRUE(executor.WaitForEvents(Time::max()));  // both run
  ASSERT_TRUE(executor.WaitForEvents(Time::max()));  // the first ended
  EXPECT_EQ(executor.Now(), kBegin + hours{1});
  ASSERT_TRUE(executor.Execute(engine::StartJob{3, 1, 0}));
  EXPECT_EQ(executor.runs().at(1).segments[0].devices, std::vector<int>{0});
  EXPECT_EQ(executor.runs().at(2).segments[0].devices, std::vector<int>{1});
  EXPECT_EQ(executor.runs().at(3).segments[0].devices, std::vector<int>{0});
}

TEST(SimulatedExecutorTest, APauseCostsItsOverheadAndKeepsTheWorkDone) {
  SimulatedExecutor executor(TwoDevices(), kBegin, {});
  core::Job job = JobOf(1, hours{3});
  job.pause_cost = minutes{6};
  executor.AddJob(job);
  ASSERT_TRUE(executor.Execute(engine::StartJob{1, 1, 0}));
  ASSERT_TRUE(executor.WaitForEvents(kBegin));
  ASSERT_TRUE(executor.WaitForEvents(kBegin + hours{1}));
  ASSERT_TRUE(executor.Execute(engine::PauseJob{1, 1}));
  ASSERT_TRUE(executor.WaitForEvents(Time::max()));
  ASSERT_TRUE(executor.WaitForEvents(kBegin + hours{5}));
  ASSERT_TRUE(executor.Execute(engine::StartJob{1, 2, 0}));
  ASSERT_TRUE(executor.WaitForEvents(Time::max()));
  ASSERT_TRUE(executor.WaitForEvents(Time::max()));
  EXPECT_EQ(executor.Now(), kBegin + hours{7} + minutes{6});
  EXPECT_EQ(executor.runs().at(1).segments.size(), 2u);
}

TEST(SimulatedExecutorTest, RecordsWhatNoSoundEngineDoes) {
  SimulatedExecutor executor(TwoDevices(), kBegin, {});
  for (core::JobId id : {1, 2, 3}) executor.AddJob(JobOf(id, hours{1}));
  ASSERT_TRUE(executor.Execute(engine::StartJob{1, 1, 0}));
  ASSERT_TRUE(executor.Execute(engine::StartJob{2, 1, 0}));
  EXPECT_FALSE(executor.Execute(engine::StartJob{3, 1, 0})) << "no device is free";
  EXPECT_FALSE(executor.Execute(engine::StartJob{1, 2, 0})) << "it runs";
  EXPECT_EQ(executor.violations().size(), 2u);
}

TEST(SimulatedExecutorTest, RunTimesDifferFromEstimatesBySeed) {
  WorldOptions world;
  world.duration_error = 0.3;
  SimulatedExecutor a(TwoDevices(), kBegin, world), b(TwoDevices(), kBegin, world);
  world.seed = 2;
  SimulatedExecutor c(TwoDevices(), kBegin, world);
  for (SimulatedExecutor* executor : {&a, &b, &c}) executor->AddJob(JobOf(1, hours{1}));
  EXPECT_EQ(a.runs().at(1).true_work, b.runs().at(1).true_work);
  EXPECT_NE(a.runs().at(1).true_work, c.runs().at(1).true_work);
}

}  // namespace
}  // namespace ebb::sim

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, ExecutorContract, sim::SimulatedWorld);
}  // namespace ebb::testing
