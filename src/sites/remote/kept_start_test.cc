#include "sites/remote/kept_start.h"

#include <gtest/gtest.h>

#include <thread>

#include "platform/file_lock.h"
#include "platform/system_clock.h"
#include "testing/scratch_directory.h"

namespace ebb::sites {
namespace {

const Time kNow = *ParseTime("2023-05-01");
constexpr auto kHour = std::chrono::hours{1};

class KeptStartTest : public ::testing::Test {
 protected:
  local::AttemptPaths PathsOf(const std::string& job) const {
    const local::AttemptPaths paths{directory_ / "service" / job / "run", 1};
    std::filesystem::create_directories(paths.directory);
    return paths;
  }
  static void Keep(const local::AttemptPaths& paths, const KeptStart& start) {
    EXPECT_TRUE(ChangeKeptStart(paths, [&](std::optional<KeptStart>& kept) -> Status {
      kept = start;
      return {};
    }));
  }
  static local::AttemptPlan PlanWithSlots(int slots) {
    local::AttemptPlan plan;
    plan.command = {"true"};
    for (int slot = 0; slot < slots; ++slot) plan.slots.push_back(slot);
    return plan;
  }

  const std::filesystem::path directory_ = ScratchDirectory("kept-start");
};

TEST_F(KeptStartTest, WhileTheServiceIsHeardItDecidesUntilTheLatestStart) {
  const KeptStart kept{{1, kNow + kHour, kNow + 5 * kHour}, KeptState::kWaits, kNow + 2 * kHour};
  EXPECT_FALSE(IsDue(kept, kNow + 2 * kHour)) << "its planned time is over, and it was just heard";
  EXPECT_TRUE(IsDue(kept, kNow + 3 * kHour)) << "nothing was heard for a while";
  const KeptStart heard{{1, kNow + kHour, kNow + 5 * kHour}, KeptState::kWaits, kNow + 5 * kHour};
  EXPECT_TRUE(IsDue(heard, kNow + 5 * kHour));
}

TEST_F(KeptStartTest, WithoutTheServiceItIsDueAtItsPlannedTime) {
  const KeptStart kept{{1, kNow + kHour, kNow + 5 * kHour}, KeptState::kWaits, kNow};
  EXPECT_FALSE(IsDue(kept, kNow + kHour - Duration{1}));
  EXPECT_TRUE(IsDue(kept, kNow + kHour));
}

TEST_F(KeptStartTest, ItIsReadAsItWasWritten) {
  const auto paths = PathsOf("1-0");
  EXPECT_FALSE(ReadKeptStart(paths));
  Keep(paths, {{7, kNow, kNow + kHour, 2}, KeptState::kBegun, kNow});
  const auto read = ReadKeptStart(paths);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->order, (local::StartOrder{7, kNow, kNow + kHour, 2}));
  EXPECT_EQ(read->state, KeptState::kBegun);
  EXPECT_EQ(read->heard, kNow);
}

TEST_F(KeptStartTest, TheSupervisorWaitsUntilItIsDecided) {
  const KeeperOptions options{.tick = Duration{1}, .devices_are_free = DevicesAreFree};
  const auto none = PathsOf("1-0");
  EXPECT_TRUE(WaitForStart(none, options)) << "nothing keeps it from starting";
  const auto paths = PathsOf("2-0");
  const Time now = platform::WallNow();
  for (const auto& [state, starts] :
       {std::pair{KeptState::kBegun, true}, std::pair{KeptState::kTakenBack, false}}) {
    Keep(paths, {{1, now + kHour, now + kHour}, KeptState::kWaits, now});
    std::optional<bool> result;
    std::thread supervisor([&] { result = WaitForStart(paths, options); });
    Keep(paths, {{1, now + kHour, now + kHour}, state, now});
    supervisor.join();
    EXPECT_EQ(result, starts);
  }
}

TEST_F(KeptStartTest, ItStartsWhenItIsDueAndDevicesAreFree) {
  const auto paths = PathsOf("1-0");
  ASSERT_TRUE(local::WritePlan(paths, PlanWithSlots(1)));
  Keep(paths, {{1, kNow, kNow}, KeptState::kWaits, kNow});
  int asked = 0;
  const KeeperOptions options{
      .tick = Duration{1},
      .devices_are_free = [&](const auto&, const auto&) { return ++asked == 3; }};
  EXPECT_TRUE(WaitForStart(paths, options));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(ReadKeptStart(paths)->state, KeptState::kBegun);
}

TEST_F(KeptStartTest, SlotsOfRunningAttemptsAreTaken) {
  const auto other = PathsOf("1-0"), paths = PathsOf("2-0");
  ASSERT_TRUE(local::WritePlan(other, PlanWithSlots(2)));
  Keep(paths, {{1, kNow, kNow, 3}, KeptState::kWaits, kNow});
  EXPECT_TRUE(DevicesAreFree(paths, PlanWithSlots(2))) << "the other one does not run";
  const auto runs = platform::FileLock::Take(other.lock());
  ASSERT_TRUE(runs);
  EXPECT_TRUE(DevicesAreFree(paths, PlanWithSlots(1)));
  EXPECT_FALSE(DevicesAreFree(paths, PlanWithSlots(2)));
  Keep(other, {{1, kNow, kNow, 3}, KeptState::kWaits, kNow});
  EXPECT_TRUE(DevicesAreFree(paths, PlanWithSlots(2))) << "the other one waits too";
}

}  // namespace
}  // namespace ebb::sites
