#include "local/job_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "local/attempt_files.h"
#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

namespace fs = std::filesystem;

class JobFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(jobs_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(jobs_); }
  void Plan(const std::string& store) {
    AttemptPlan plan;
    plan.job = 4;
    plan.store = store;
    ASSERT_TRUE(WritePlan(AttemptPaths{folder_, 1}, plan));
  }

  const fs::path jobs_ = ScratchDirectory("job-folder");
  const fs::path folder_ = jobs_ / "4";
};

TEST_F(JobFolder, IsSetAsideWithoutOverwritingAnother) {
  Plan("/state/ebb.db");
  EXPECT_EQ(*SetFolderAside(folder_), jobs_ / "set-aside/4");
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_TRUE(fs::exists(jobs_ / "set-aside/4/attempt-1.json"));
  fs::create_directories(folder_);
  EXPECT_EQ(*SetFolderAside(folder_), jobs_ / "set-aside/4-2");
}

TEST_F(JobFolder, StaysWhereItsProgramRuns) {
  Plan("/state/ebb.db");
  EXPECT_FALSE(RunningSupervisor(folder_));
  const auto lock = platform::FileLock::Take(AttemptPaths{folder_, 1}.lock());
  ASSERT_TRUE(lock);
  WriteSupervisor(*lock);
  EXPECT_EQ(RunningSupervisor(folder_), ::getpid());
  const auto aside = SetFolderAside(folder_);
  ASSERT_FALSE(aside);
  EXPECT_NE(aside.error().Message().find("still runs"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "attempt-1.json"));
}

TEST_F(JobFolder, BelongsToTheStoreThatItsPlanNames) {
  EXPECT_TRUE(MayBelongTo(folder_, "/state/ebb.db"));
  Plan("/state/ebb.db");
  EXPECT_TRUE(MayBelongTo(folder_, "/moved/ebb.db"));
  EXPECT_FALSE(MayBelongTo(folder_, "/state/other.db"));
}

}  // namespace
}  // namespace ebb::local
