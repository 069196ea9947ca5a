#include "local/files/job_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "local/files/attempt_files.h"
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

TEST_F(JobFolder, CheckpointsAreTakenOverWithoutACopyAndWithoutLinks) {
  const fs::path other = jobs_ / "5";
  fs::create_directories(folder_ / "checkpoints" / "deep");
  std::ofstream(folder_ / "checkpoints" / "deep" / "state") << "step 7";
  std::ofstream(jobs_ / "secret") << "of another";
  fs::create_symlink(jobs_ / "secret", folder_ / "checkpoints" / "link");
  fs::create_directory_symlink(jobs_, folder_ / "checkpoints" / "folder");
  ASSERT_TRUE(TakeOverCheckpoints(folder_, other));
  EXPECT_TRUE(fs::equivalent(folder_ / "checkpoints/deep/state", other / "checkpoints/deep/state"));
  EXPECT_FALSE(fs::exists(other / "checkpoints" / "link"));
  EXPECT_FALSE(fs::exists(other / "checkpoints" / "folder"));
  // Replaces the checkpoint as a program does.
  std::ofstream(other / "checkpoints/deep/new") << "step 9";
  fs::rename(other / "checkpoints/deep/new", other / "checkpoints/deep/state");
  std::ifstream earlier(folder_ / "checkpoints/deep/state");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(earlier), {}), "step 7");
  EXPECT_TRUE(TakeOverCheckpoints(folder_, other)) << "its own stay";
  std::ifstream own(other / "checkpoints/deep/state");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(own), {}), "step 9");
  EXPECT_FALSE(TakeOverCheckpoints(jobs_ / "none", jobs_ / "6"));
  EXPECT_FALSE(fs::exists(jobs_ / "6" / "checkpoints"));
}

}  // namespace
}  // namespace ebb::local
