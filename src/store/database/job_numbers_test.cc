#include "store/database/job_numbers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

namespace fs = std::filesystem;

class JobNumbersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(jobs_);
    fs::create_directories(jobs_);
  }
  void TearDown() override { fs::remove_all(jobs_); }

  const fs::path jobs_ = ScratchDirectory("job-numbers");
  const fs::path file_ = jobs_ / "last-number";
};

TEST_F(JobNumbersTest, TheHighestOneIsKept) {
  JobNumbers numbers = JobNumbers::Open(file_);
  EXPECT_EQ(numbers.highest(), 0);
  ASSERT_TRUE(numbers.Keep(7));
  ASSERT_TRUE(numbers.Keep(5));
  EXPECT_EQ(JobNumbers::Open(file_).highest(), 7);
  ASSERT_TRUE(numbers.Keep(1'000'000'000'000));
  EXPECT_EQ(JobNumbers::Open(file_).highest(), 1'000'000'000'000);
}

TEST_F(JobNumbersTest, WithoutTheFileTheFoldersTell) {
  for (const char* name : {"3", "12", "open-runs", "set-aside", "-4"})
    fs::create_directories(jobs_ / name);
  std::ofstream(jobs_ / "99") << "no folder";
  EXPECT_EQ(NumberedFolders(jobs_), (std::vector<core::JobId>{3, 12}));
  EXPECT_EQ(JobNumbers::Open(file_).highest(), 12);
  std::ofstream(file_) << "rubbish";
  EXPECT_EQ(JobNumbers::Open(file_).highest(), 12);
}

TEST_F(JobNumbersTest, WhatCannotBeKeptIsSaid) {
  JobNumbers numbers = JobNumbers::Open(jobs_ / "none" / "last-number");
  const auto kept = numbers.Keep(1);
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().Message().find("last-number"), std::string::npos);
  EXPECT_EQ(numbers.highest(), 0);
}

}  // namespace
}  // namespace ebb::store
