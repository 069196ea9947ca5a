#include "store/restore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "store/database/job_numbers.h"
#include "store/service_store.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

namespace fs = std::filesystem;

class RestoreTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(directory_); }
  ServiceStore Open() {
    fs::create_directories(jobs_);
    StoreOptions options;
    options.numbers_file = jobs_ / kNumbersFile;
    return *ServiceStore::Open(store_, options);
  }
  core::JobId Add(ServiceStore& store, const std::string& name) {
    core::Submission submission;
    submission.job.name = name;
    const core::JobId id = store.AddJob(submission)->id;
    EXPECT_TRUE(store.Commit());
    return id;
  }
  void MakeBackup(ServiceStore& store) { ASSERT_TRUE(store.database().BackupTo(backup_)); }
  RestoreRequest Request() const {
    return {backup_, store_, jobs_, [](Database&) { return Result<CheckOptions>(CheckOptions{}); }};
  }
  std::vector<std::string> FilesBeside() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_))
      names.push_back(entry.path().filename().string());
    // A reader leaves an empty log behind.
    std::erase_if(
        names, [](const auto& name) { return name.ends_with("-wal") || name.ends_with("-shm"); });
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path directory_ = ScratchDirectory("restore");
  const fs::path store_ = directory_ / "ebb.db", backup_ = directory_ / "copy.db";
  const fs::path jobs_ = directory_ / "jobs";
};

TEST_F(RestoreTest, SaysWhatIsLostAndGivesNoNumberAgain) {
  {
    ServiceStore store = Open();
    Add(store, "first");
    Add(store, "second");
    MakeBackup(store);
    ASSERT_TRUE(store.RefuseJob(2, Time{Duration{5}}, "it ended after the backup"));
    Add(store, "third");
  }
  fs::create_directories(jobs_ / "3");
  fs::create_directories(jobs_ / "1");
  {
    auto restore = Restore::Prepare(Request());
    ASSERT_TRUE(restore) << restore.error().Message();
    const RestoreDifference& difference = restore->difference();
    EXPECT_EQ(difference.jobs, 2);
    ASSERT_EQ(difference.lost.size(), 1u);
    EXPECT_EQ(difference.lost[0].name, "third");
    ASSERT_EQ(difference.undone.size(), 1u);
    EXPECT_EQ(difference.undone[0].id, 2);
    EXPECT_EQ(restore->unknown_folders(), std::vector<core::JobId>{3});
    EXPECT_EQ(restore->next_job(), 4);
    const auto kept = restore->Finish();
    ASSERT_TRUE(kept) << kept.error().Message();
    ASSERT_TRUE(*kept);
    Database replaced = *Database::Open(**kept, Database::Mode::kRead);
    EXPECT_EQ(*replaced.Integer("SELECT count(*) FROM jobs"), 3);
  }
  ServiceStore store = Open();
  EXPECT_EQ(*store.database().Integer("SELECT count(*) FROM jobs"), 2);
  EXPECT_EQ(store.last_known_job(), 2);
  EXPECT_EQ(Add(store, "fourth"), 4);
}

TEST_F(RestoreTest, WhatIsOnlyPreparedChangesNothing) {
  {
    ServiceStore store = Open();
    Add(store, "first");
    MakeBackup(store);
    Add(store, "second");
  }
  const auto before = FilesBeside();
  ASSERT_TRUE(Restore::Prepare(Request()));
  EXPECT_EQ(FilesBeside(), before);
  EXPECT_EQ(*Open().database().Integer("SELECT count(*) FROM jobs"), 2);
}

// The last commits may be in SQLite's log only.
TEST_F(RestoreTest, AStoreWhoseServiceWasKilledIsKeptWithItsLog) {
  {
    ServiceStore store = Open();
    MakeBackup(store);
    Add(store, "first");
    for (const char* ending : {"", "-wal"})
      fs::copy_file(store_.string() + ending, directory_ / ("as-killed.db" + std::string(ending)));
  }
  for (const char* ending : {"", "-wal"})
    fs::rename(directory_ / ("as-killed.db" + std::string(ending)), store_.string() + ending);
  ASSERT_TRUE(fs::exists(store_.string() + "-wal"));
  const auto kept = Restore::Prepare(Request())->Finish();
  ASSERT_TRUE(kept) << kept.error().Message();
  EXPECT_FALSE(fs::exists(store_.string() + "-wal"));
  Database replaced = *Database::Open(**kept, Database::Mode::kRead);
  EXPECT_EQ(*replaced.Integer("SELECT count(*) FROM jobs"), 1);
  EXPECT_EQ(*Open().database().Integer("SELECT count(*) FROM jobs"), 0);
}

TEST_F(RestoreTest, ADamagedStoreIsReplacedAndItsNumbersStandInTheFolder) {
  {
    ServiceStore store = Open();
    MakeBackup(store);
    Add(store, "first");
  }
  std::ofstream(store_) << std::string(3000, 'x');
  {
    auto restore = Restore::Prepare(Request());
    ASSERT_TRUE(restore) << restore.error().Message();
    EXPECT_FALSE(restore->difference().unknown.empty());
    ASSERT_TRUE(restore->Finish());
  }
  ServiceStore store = Open();
  EXPECT_EQ(Add(store, "second"), 2);
}

TEST_F(RestoreTest, RefusesWhatIsInUseAndWhatCannotBeReliedOn) {
  {
    ServiceStore store = Open();
    Add(store, "first");
    MakeBackup(store);
    const auto used = Restore::Prepare(Request());
    ASSERT_FALSE(used);
    EXPECT_EQ(used.error().code, ExitCode::kTryLater);
  }
  {
    Database damaged = *Database::Open(backup_, Database::Mode::kWrite);
    ASSERT_TRUE(damaged.Run("UPDATE jobs SET energy_uj = 5"));
  }
  const auto before = FilesBeside();
  const auto bad = Restore::Prepare(Request());
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().Message().find("cannot be relied on"), std::string::npos);
  EXPECT_EQ(FilesBeside(), before);
  RestoreRequest none = Request();
  none.backup = directory_ / "none.db";
  EXPECT_FALSE(Restore::Prepare(none));
  RestoreRequest itself = Request();
  itself.backup = store_;
  EXPECT_FALSE(Restore::Prepare(itself));
  EXPECT_EQ(FilesBeside(), before);
}

}  // namespace
}  // namespace ebb::store
