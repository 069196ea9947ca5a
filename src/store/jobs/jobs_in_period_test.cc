#include "store/jobs/jobs_in_period.h"

#include <gtest/gtest.h>

#include "store/service_store.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::hours;

const Time kNow = *ParseTime("2026-10-10");

TEST(JobsInPeriod, AreThoseThatUsedEnergyInIt) {
  auto store = *ServiceStore::Open(ScratchDirectory("period") / "ebb.db");
  // Begin and end in hours from now; an end of -1 means that the job still runs.
  const auto add = [&](int begin, int end, bool uses) {
    core::Submission submission;
    submission.job = testing::AJob(0).Submitted(kNow - hours(100));
    const core::JobId job = store.AddJob(submission)->id;
    core::LedgerRow row;
    row.device = "gpu:GPU-a";
    row.component = core::Component::kGpu;
    row.energy = Energy::Joules(10);
    row.pue = {1.3};
    row.wall = row.grid = {kNow + hours(begin), kNow + hours(begin + 1)};
    if (uses) store.AddLedger({job, {row}});
    EXPECT_TRUE(store.Commit());
    EXPECT_TRUE(store.database().Run(
        "UPDATE jobs SET first_start_ms = ?2, ended_ms = ?3 WHERE id = ?1",
        {job, (kNow + hours(begin)).time_since_epoch().count(),
         end < 0 ? Value{} : Value{(kNow + hours(end)).time_since_epoch().count()}}));
    return job;
  };
  add(0, 5, true);  // before
  const auto crossing = add(5, 12, true);
  const auto goes_on = add(15, -1, true);
  add(12, 14, false);  // used nothing
  add(40, 45, true);   // after
  const auto jobs = *JobsThatRan(store.database(), {kNow + hours(10), kNow + hours(20)});
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].job, crossing);
  EXPECT_LE(jobs[0].begin, kNow + hours(5));
  EXPECT_GE(*jobs[0].end, kNow + hours(12));
  EXPECT_TRUE(jobs[0].used_gpu);
  EXPECT_EQ(jobs[1].job, goes_on);
  EXPECT_FALSE(jobs[1].end);
  EXPECT_EQ((*NewestPue(store.database()))->ratio, 1.3);
}

}  // namespace
}  // namespace ebb::store
