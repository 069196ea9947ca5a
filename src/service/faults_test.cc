// Faults of the machine: a full disk, a clock that jumps, a second service, a missing program.

#include <gtest/gtest.h>

#include "plan/make_policy.h"
#include "platform/file.h"
#include "service/service.h"
#include "service/service_for_test.h"
#include "store/upkeep/store_check.h"
#include "testing/no_room.h"

namespace ebb::service {
namespace {

using engine::Stage;

// While the store cannot grow, nothing is taken or started, and running jobs go on. Once there is
// room, the service follows the end that came meanwhile, and what depends on it.
TEST_F(ServiceTest, AFullDiskRefusesClearlyAndPasses) {
  world_.Start();
  const core::JobId running = world_.Submit(world_.Shell(Until("go")));
  world_.WaitForStage(running, Stage::kRunning);
  core::Submission next = world_.Shell("true");
  next.after = {running};
  const core::JobId waiting = world_.Submit(next);
  auto no_room = std::make_optional<testing::NoRoomForFiles>();
  const auto refused = world_.Answered(world_.Shell("true"));
  const auto again = world_.Answered(world_.Shell("true"));
  const auto view = world_.WaitFor([](const View& now) { return !now.trouble.empty(); });
  no_room.reset();
  ASSERT_FALSE(refused);
  ASSERT_FALSE(again);
  EXPECT_EQ(refused.error().code, ExitCode::kUnavailable);
  EXPECT_NE(refused.error().Message().find("cannot store"), std::string::npos);
  EXPECT_FALSE(view->running.empty());
  world_.WaitFor([](const View& now) { return now.trouble.empty(); });
  Touch("go");
  world_.WaitForStage(running, Stage::kSucceeded);
  world_.WaitForStage(waiting, Stage::kSucceeded);
  EXPECT_EQ(world_.Submit(world_.Shell("true")) > waiting, true);
}

TEST_F(ServiceTest, AnEndWhileTheDiskWasFullReachesThoseThatWait) {
  world_.Start();
  const core::JobId running = world_.Submit(world_.Shell(Until("go")));
  core::Submission next = world_.Shell("true");
  next.after = {running};
  const core::JobId waiting = world_.Submit(next);
  world_.WaitForStage(running, Stage::kRunning);
  auto no_room = std::make_optional<testing::NoRoomForFiles>(8);
  Touch("go");
  world_.WaitFor([](const View& now) { return !now.trouble.empty(); });
  no_room.reset();
  world_.WaitForStage(running, Stage::kSucceeded);
  world_.WaitForStage(waiting, Stage::kSucceeded);
}

TEST_F(ServiceTest, ALostSourceIsToldOnceAndWhenItIsBack) {
  std::mutex mutex;
  std::vector<std::string> log;
  const auto told = [&](const char* text) {
    const std::lock_guard guard(mutex);
    return std::ranges::count_if(
        log, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  world_.adjust = [&](ServiceOptions& options) {
    options.log = [&](const std::string& text) {
      const std::lock_guard guard(mutex);
      log.push_back(text);
    };
  };
  world_.feed().AddOutage({World::kDay, World::kDay + std::chrono::minutes{30}});
  world_.Start();
  world_.WaitFor([&](const View&) { return told("cannot be reached") > 0; });
  for (const int minute : {10, 20}) {
    world_.SkipTo(World::kDay + std::chrono::minutes{minute});
    world_.Submit(world_.Shell("true"));
  }
  EXPECT_EQ(told("cannot be reached"), 1);
  EXPECT_EQ(told("answers again"), 0);
  world_.SkipTo(World::kDay + std::chrono::minutes{40});
  world_.WaitFor([&](const View&) { return told("answers again") > 0; });
  EXPECT_EQ(told("cannot be reached"), 1);
  world_.Stop();
}

TEST_F(ServiceTest, ASecondServiceOnTheStoreIsRefused) {
  world_.Start();
  EXPECT_FALSE(store::ServiceStore::Open(world_.store()));
}

TEST(Service, AStartThatCannotWorkFailsAtOnceWithItsCause) {
  World world("no_such_command");
  world.Start();
  Submit submit = world.Shell("");
  submit.submission.command = {"/no/such/command"};
  submit.no_check = true;
  const auto taken = world.Answered(submit);
  ASSERT_TRUE(taken);
  const JobCard card = world.WaitForStage(taken->job, Stage::kFailed);
  EXPECT_EQ(card.attempt, 1);
  EXPECT_EQ(card.exit_code, 127);
  EXPECT_NE(card.detail.find("/no/such/command: command not found"), std::string::npos);
  const local::AttemptPaths paths{world.service().DirectoryOf(taken->job), 1};
  EXPECT_EQ(*platform::ReadFile(paths.log()), "ebb: " + card.detail + "\n");
  const auto view = world.service().view();
  EXPECT_EQ(view->counters.failed_starts, 0);
  EXPECT_EQ(view->counters.failed_starts_in_a_row, 0);
  std::int64_t starts = 0;
  for (const auto& [rule, count] : view->counters.starts) starts += count;
  EXPECT_EQ(starts, 1);
}

// A live clock that somebody sets.
class ClockTest : public ::testing::Test {
 protected:
  void SetClock(Duration by) {
    const Time before = world_.service().GridNow();
    world_.wall().Jump(by);
    world_.WaitFor([&](const View& view) {
      return by > Duration::zero() ? view.now > before + by / 2 : view.now < before + by / 2;
    });
  }
  bool WasSaid(const std::string& text) {
    const auto view = world_.service().view();
    return std::any_of(view->events.begin(), view->events.end(),
                       [&](const auto& said) { return said.text.find(text) != std::string::npos; });
  }
  Result<Answer> SubmitWithin(Duration delay) {
    core::Submission submission = world_.Shell("true");
    submission.job.finish_by = world_.service().GridNow() + delay;
    return world_.Answered(submission);
  }
  std::vector<std::string> Problems() {
    world_.Stop();
    std::vector<std::string> problems;
    auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
    store::CheckOptions options;
    options.make_engine = [] {
      return std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
    };
    const auto checked = store::CheckStore(database, options);
    if (!checked) return {checked.error().Message()};
    for (const store::CheckResult& check : *checked)
      problems.insert(problems.end(), check.problems.begin(), check.problems.end());
    return problems;
  }
  static constexpr Duration kTwoDays = std::chrono::hours{48};
  World world_{::testing::UnitTest::GetInstance()->current_test_info()->name(),
               std::vector<double>(24 * 9, 100.0), 1, true};
};

TEST_F(ClockTest, AClockThatWasAheadIsFollowedBothWaysAndLeavesNoTrace) {
  world_.Start();
  const core::JobId runs = world_.Submit(world_.Shell("while [ ! -e go ]; do sleep 0.02; done"));
  world_.WaitForStage(runs, Stage::kRunning);
  SetClock(kTwoDays);
  EXPECT_TRUE(WasSaid("the wall clock jumped ahead by 2d 0h"));
  EXPECT_TRUE(WasSaid("the wall clock was set ahead by"));
  const auto ahead = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(ahead) << ahead.error().Message();
  world_.WaitForStage(ahead->job, Stage::kSucceeded);
  SetClock(-kTwoDays);
  EXPECT_TRUE(WasSaid("the wall clock was set back by"));
  const auto good = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(good) << good.error().Message();
  const JobCard card = world_.WaitForStage(good->job, Stage::kSucceeded);
  EXPECT_LE(*card.ended, world_.service().GridNow());
  std::ofstream(world_.directory() / "go") << "x";
  const JobCard ended = world_.WaitForStage(runs, Stage::kSucceeded);
  EXPECT_EQ(ended.attempt, 1);
  EXPECT_LT(*ended.ended - *ended.first_start, Duration{std::chrono::minutes{10}});
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(ClockTest, AClockThatIsWrongForAMomentChangesNothing) {
  world_.adjust = [](ServiceOptions& options) {
    options.executor.clock.settle = std::chrono::hours{1};
  };
  world_.Start();
  const Time before = world_.service().GridNow();
  world_.wall().Jump(kTwoDays);
  const auto answer = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(answer) << answer.error().Message();
  world_.WaitForStage(answer->job, Stage::kSucceeded);
  EXPECT_TRUE(WasSaid("it is followed if it stays there"));
  world_.wall().Jump(-kTwoDays);
  ASSERT_TRUE(SubmitWithin(std::chrono::hours{1}));
  world_.WaitFor([&](const View&) { return WasSaid("back where it was"); });
  EXPECT_LT(world_.service().GridNow(), before + std::chrono::minutes{10});
  EXPECT_FALSE(WasSaid("was set"));
}

TEST_F(ClockTest, AStoreWhoseTimeLiesInTheFutureGoesOnFromNow) {
  world_.wall().Jump(kTwoDays);
  world_.Start();
  const core::JobId held = world_.Submit(world_.Shell("while [ ! -e go ]; do sleep 0.02; done"));
  ASSERT_TRUE(world_.Answered(ControlOf(held, engine::JobControl::kHold)));
  world_.Submit(world_.Shell("true"));
  world_.WaitForStage(held + 1, Stage::kSucceeded);
  world_.Stop();
  world_.wall().Jump(-kTwoDays);
  world_.Start();
  const auto good = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(good) << good.error().Message();
  world_.WaitForStage(good->job, Stage::kSucceeded);
  EXPECT_TRUE(WasSaid("the wall clock was set back by"));
  EXPECT_LT(world_.service().view()->now, world_.wall().Now() + std::chrono::minutes{1});
  std::ofstream(world_.directory() / "go") << "x";
  const auto let_go = world_.Answered(ControlOf(held, engine::JobControl::kNone));
  ASSERT_TRUE(let_go) << let_go.error().Message();
  world_.WaitForStage(held, Stage::kSucceeded);
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

}  // namespace
}  // namespace ebb::service
