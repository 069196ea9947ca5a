// Ends that nobody asked for, and a loop that hangs, as users of the service see them.

#include <future>

#include "local/files/attempt_files.h"
#include "service/world_for_test.h"

namespace ebb::service {
namespace {

using engine::Stage;

TEST(Ends, AShutdownFailsNoJobAndCancelsNothingThatComesAfterIt) {
  for (const bool pausable : {true, false}) {
    World world(pausable ? "shutdown_pausable" : "shutdown_plain");
    world.adjust = [](ServiceOptions& options) { options.engine.retry_after = Duration{50}; };
    world.Start();
    core::Submission first =
        world.Shell("[ -e again ] && exit 0; touch again; while :; do sleep 0.02; done");
    first.job.checkpointable = pausable;
    const core::JobId job = world.Submit(first);
    core::Submission second = world.Shell("true");
    second.after = {job};
    const core::JobId next = world.Submit(second);
    while (!std::filesystem::exists(world.directory() / "again"))
      std::this_thread::sleep_for(Duration{10});
    const auto supervisor = local::SupervisorOf({world.service().DirectoryOf(job), 1});
    ASSERT_TRUE(supervisor);
    // Like a machine that shuts down: all processes at once.
    ::kill(*supervisor, SIGTERM);
    world.Restart();
    world.WaitForStage(job, Stage::kSucceeded);
    world.WaitForStage(next, Stage::kSucceeded);
    EXPECT_EQ(world.service().view()->counters.failed_starts, 0);
  }
}

TEST(Ends, ACycleThatDoesNotComeBackIsSeen) {
  World world("hangs");
  std::promise<void> release;
  world.adjust = [&](ServiceOptions& options) {
    options.executor.start = [&, once = false](const platform::DetachedOptions& detached) mutable {
      if (!std::exchange(once, true)) release.get_future().wait();
      return platform::StartDetached(detached);
    };
  };
  world.Start();
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto later = [&] { return now() + std::chrono::hours{1}; };
  const auto wait_until_busy = [&](bool busy) {
    for (int i = 0;
         i < 2000 && (world.service().BusyFor(later()) > std::chrono::minutes{59}) != busy; ++i)
      std::this_thread::sleep_for(Duration{10});
    EXPECT_EQ(world.service().BusyFor(later()) > std::chrono::minutes{59}, busy);
  };
  wait_until_busy(false);
  auto answer = world.service().Ask(world.Shell("true"));
  wait_until_busy(true);
  // Steps before the start come first: the decision is made and stored, slowly on a busy machine.
  for (int i = 0; i < 2000 && world.service().Doing() != "starting or ending job 1"; ++i)
    std::this_thread::sleep_for(Duration{10});
  EXPECT_LT(world.service().BusyFor(now()), std::chrono::hours{1});
  EXPECT_EQ(world.service().Doing(), "starting or ending job 1");
  release.set_value();
  EXPECT_TRUE(answer.get());
  wait_until_busy(false);
}

}  // namespace
}  // namespace ebb::service
