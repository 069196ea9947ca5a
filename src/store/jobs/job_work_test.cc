#include "store/jobs/job_work.h"

#include <gtest/gtest.h>

#include "store/service_store.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

TEST(JobWork, IsPartOfTheJobAndUnknownUntilItIsReported) {
  auto store = ServiceStore::Open(ScratchDirectory() / "ebb.db");
  ASSERT_TRUE(store);
  core::Submission submission;
  submission.command = {"true"};
  const auto job = store->AddJob(submission);
  ASSERT_TRUE(job && store->Commit());
  EXPECT_TRUE(FindJob(store->database(), job->id)->value().work.empty());

  const core::Work work{.tokens = 5'000'000'000, .steps = 12};
  store->SetWork(job->id, work);
  core::LedgerRow row;
  row.wall = row.grid = {Time{}, Time{Duration{1000}}};
  row.energy = Energy::Joules(60);
  store->AddLedger({job->id, {row}});
  ASSERT_TRUE(store->Commit());
  EXPECT_EQ(*WorkOf(store->database(), job->id), work);
  const JobRecord record = FindJob(store->database(), job->id)->value();
  EXPECT_EQ(record.work, work);
  ASSERT_EQ(record.per_unit().size(), 2u);
  EXPECT_DOUBLE_EQ(record.per_unit()[1].joules, 5);
  EXPECT_FALSE(record.per_unit()[1].grams) << "the energy has no intensity";
}

}  // namespace
}  // namespace ebb::store
