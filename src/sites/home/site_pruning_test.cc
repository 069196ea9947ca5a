#include "sites/home/site_pruning.h"

#include <gtest/gtest.h>

#include "local/files/attempt_files.h"
#include "platform/file_lock.h"
#include "testing/scratch_directory.h"

namespace ebb::sites {
namespace {

class SitePruningTest : public ::testing::Test {
 protected:
  // An attempt of job 1 as it is here.
  local::AttemptPaths Attempt(int number) {
    const local::AttemptPaths paths{jobs_ / "1", number};
    std::filesystem::create_directories(paths.directory);
    local::AttemptPlan plan;
    plan.job = 1;
    plan.identity = 7;
    plan.attempt = number;
    plan.command = {"true"};
    EXPECT_TRUE(local::WritePlan(paths, plan));
    return paths;
  }
  static void End(const local::AttemptPaths& paths, int code) {
    local::AttemptEnd end;
    end.status.code = code;
    EXPECT_TRUE(local::WriteEnd(paths, end, ""));
  }
  bool Goes(int fetched, std::int64_t identity = 7) const {
    return MayGo({{"service", 1, identity}, 1, fetched}, jobs_);
  }

  const std::filesystem::path jobs_ = ScratchDirectory("site-pruning");
};

TEST_F(SitePruningTest, TheFolderOfAJobThatSucceededGoes) {
  const auto paths = Attempt(1);
  EXPECT_FALSE(Goes(0)) << "it has not ended";
  End(paths, 0);
  EXPECT_TRUE(Goes(0));
  EXPECT_FALSE(Goes(0, 8)) << "another job has its number";
}

TEST_F(SitePruningTest, ThatOfAJobThatGoesOnStays) {
  End(Attempt(1), 0);
  const auto second = Attempt(2);
  EXPECT_FALSE(Goes(1));
  End(second, 75);
  EXPECT_FALSE(Goes(1));
}

TEST_F(SitePruningTest, AnEndThatIsNotWrittenYetIsWaitedFor) {
  const auto paths = Attempt(1);
  ASSERT_TRUE(local::WriteAsked(paths, local::EndRequest::kCancel));
  EXPECT_FALSE(Goes(0));
  End(paths, 143);
  const auto lock = platform::FileLock::Take(paths.lock());
  ASSERT_TRUE(lock);
  EXPECT_FALSE(Goes(0)) << "its follower is still at work";
}

TEST_F(SitePruningTest, ACancelledJobNeedsNothing) {
  const auto paths = Attempt(1);
  ASSERT_TRUE(local::WriteAsked(paths, local::EndRequest::kCancel));
  End(paths, 143);
  EXPECT_TRUE(Goes(0));
}

TEST_F(SitePruningTest, AFailedJobGoesWithItsFolderHere) {
  End(Attempt(1), 3);
  EXPECT_FALSE(Goes(1));
  std::filesystem::remove_all(jobs_ / "1");
  EXPECT_FALSE(Goes(0)) << "its files never came home";
  EXPECT_TRUE(Goes(1));
}

}  // namespace
}  // namespace ebb::sites
