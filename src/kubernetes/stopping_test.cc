// A controller that is asked to end while it has much to do.

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "kubernetes/cluster_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;
using StoppingTest = ClusterTest;

TEST_F(StoppingTest, AStopIsHeardWhileNewsComesWithoutEnd) {
  const core::JobId job = Create("train");
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  ::kill(::getpid(), SIGTERM);
  const auto reports = executor().WaitForEvents(Time::max());
  EXPECT_EQ(executor().stop_signal(), SIGTERM);
  ASSERT_EQ(reports->size(), 1u) << "what has come is told";
  EXPECT_EQ(reports->front().phase, JobPhase::kRunning);
}

// A signal that stays queued would make each wait return at once.
TEST_F(StoppingTest, EverySignalThatEndsAWaitIsTaken) {
  for (const int number : {SIGCHLD, SIGUSR1, SIGCONT}) ASSERT_EQ(::raise(number), 0);
  world_.GoOnFor(Duration{20});
  pollfd descriptor{world_.signals_.descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&descriptor, 1, 0), 0);
  EXPECT_FALSE(executor().stop_signal());
}

TEST_F(StoppingTest, AStopIsHeardBetweenCommands) {
  const core::JobId job = Create("train");
  ::kill(::getpid(), SIGTERM);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_EQ(executor().stop_signal(), SIGTERM);
}

// At 50 a second, thousands would take minutes.
TEST_F(StoppingTest, ReleasesThatWaitForTheirTurnAreTheNextControllers) {
  ClusterOptions options;
  options.client.changes = {.per_minute = 1, .burst = 1};
  world_.Begin(options);
  const core::JobId first = Create("first");
  const core::JobId second = Create("second");
  ASSERT_TRUE(executor().Execute(engine::StartJob{first, 1, 0}));
  ASSERT_TRUE(executor().Execute(engine::StartJob{second, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("first"); }));
  ::kill(::getpid(), SIGTERM);
  const auto reports = executor().WaitForEvents(Time::max());
  ASSERT_FALSE(reports->empty());
  EXPECT_EQ(reports->back().job, second);
  EXPECT_EQ(reports->back().phase, JobPhase::kStartFailed);
  EXPECT_TRUE(reports->back().machine_trouble) << "it is not the job's fault";
  executor().ReleaseLease();
  EXPECT_TRUE(world_.IsSuspended("second"));
  EXPECT_TRUE(server().PatchesOf("second").empty());
  world_.Begin();
  const core::Job one = world_.Next<engine::JobSubmitted>()->job;
  const core::Job other = world_.Next<engine::JobSubmitted>()->job;
  const auto known = executor().Observe();
  ASSERT_EQ(known->size(), 1u) << "the other one waits as if nothing had been";
  const core::JobId again = known->front().job == one.id ? other.id : one.id;
  ASSERT_TRUE(executor().Execute(engine::StartJob{again, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("second"); }));
}

}  // namespace
}  // namespace ebb::kubernetes
