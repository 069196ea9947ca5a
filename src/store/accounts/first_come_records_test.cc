#include "store/accounts/first_come_records.h"

#include <gtest/gtest.h>

#include "store/jobs/job_records.h"
#include "store/service_store.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::hours;

const Time kNow = *ParseTime("2023-05-01");

core::JobId Ended(ServiceStore& store, Energy energy, std::optional<Emissions> emissions) {
  core::Submission submission;
  submission.job = testing::AJob(0).Submitted(kNow);
  submission.command = {"true"};
  const core::JobId job = store.AddJob(submission)->id;
  EXPECT_TRUE(store.Commit());
  EXPECT_TRUE(store.database().Run(
      "UPDATE jobs SET stage = 'succeeded', energy_uj = ?2, emissions_g = ?3 WHERE id = ?1",
      {job, energy.microjoules(), emissions ? Value{emissions->grams} : Value{}}));
  return job;
}

TEST(FirstComeRecords, PlacesReadBackAndEndWithTheirJob) {
  auto store = *ServiceStore::Open(ScratchDirectory("first-come-places") / "ebb.db");
  const core::JobId early = Ended(store, Energy::Joules(1), {});
  const core::JobId late = Ended(store, Energy::Joules(1), {});
  const core::JobId nowhere = Ended(store, Energy::Joules(1), {});
  store.AddFirstCome({early, Interval{kNow, kNow + hours{1}}, 0, 1, {}});
  store.AddFirstCome({late, Interval{kNow, kNow + hours{9}}, 0, 1, {}});
  store.AddFirstCome({late,
                      Interval{kNow + hours{1}, kNow + hours{3}},
                      2,
                      4,
                      Emissions{5},
                      Emissions{6},
                      {},
                      {},
                      1.5,
                      "{}"});
  store.AddFirstCome({nowhere, {}, 0, 1, {}});
  store.AddFirstCome({77, Interval{kNow, kNow + hours{9}}, 0, 1, {}});  // no such job
  ASSERT_TRUE(store.Commit());
  const auto places = FirstComeAfter(store.database(), kNow + hours{1});
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 1u);
  const FirstComeRecord& one = places->front();
  EXPECT_EQ(one.job, late);
  EXPECT_EQ(one.place, (Interval{kNow + hours{1}, kNow + hours{3}}));
  EXPECT_EQ(one.pool, 2);
  EXPECT_EQ(one.devices, 4);
  EXPECT_EQ(one.emissions, Emissions{5});
  EXPECT_EQ(one.at_submission, Emissions{6});
  EXPECT_EQ(one.first_come_half_width_g, 1.5);
  EXPECT_EQ(one.had_it_waited, "{}");
  ASSERT_TRUE(store.database().Run("DELETE FROM jobs WHERE id = ?", {late}));
  EXPECT_TRUE(FirstComeAfter(store.database(), kNow)->size() == 1);
}

TEST(FirstComeRecords, AJobThatIsSettledEmittedWhatWasSettled) {
  auto store = *ServiceStore::Open(ScratchDirectory("first-come-settled") / "ebb.db");
  const core::JobId settled = Ended(store, Energy::Joules(1), Emissions{7});
  const core::JobId metered = Ended(store, Energy::Joules(1), Emissions{8});
  store.AddFirstCome({settled, {}, 0, 1, {}, Emissions{6}, Emissions{5}});
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ((*FindFirstCome(store.database(), settled))->settled, Emissions{5});
  JobFilter filter;
  filter.stages = {engine::Stage::kSucceeded};
  const auto jobs = ListJobs(store.database(), filter);
  ASSERT_TRUE(jobs) << jobs.error().Message();
  ASSERT_EQ(jobs->size(), 2u);
  for (const JobRecord& job : *jobs)
    EXPECT_EQ(job.emissions, job.id == settled ? Emissions{5} : Emissions{8});
  EXPECT_EQ((*FindJob(store.database(), metered))->emissions, Emissions{8});
}

}  // namespace
}  // namespace ebb::store
