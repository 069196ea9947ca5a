#include "store/first_come_records.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "store/scratch_for_test.h"
#include "store/service_store.h"
#include "testing/builders.h"

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

// Whatever the number of jobs that are kept elsewhere, the two together are all of them.
TEST(FirstComeRecords, SumsAreThoseOfAllButTheNewest) {
  auto store = *ServiceStore::Open(ScratchDirectory("first-come-sums") / "ebb.db");
  Random random(5);
  struct Job {
    Energy energy;
    std::optional<Emissions> emissions, at_submission, first_come;
  };
  std::vector<Job> jobs;
  for (int i = 0; i < 30; ++i) {
    Job job;
    if (random.Below(5) != 0) {
      job.energy = Energy::Microjoules(1 + static_cast<std::int64_t>(random.Below(1'000'000)));
      if (random.Below(4) != 0) job.emissions = Emissions{random.Uniform(0, 9)};
      if (random.Below(4) != 0) job.at_submission = Emissions{random.Uniform(0, 9)};
      if (random.Below(4) != 0) job.first_come = Emissions{random.Uniform(0, 9)};
    }
    const core::JobId id = Ended(store, job.energy, job.emissions);
    if (job.first_come || job.at_submission || random.Below(2) == 0)
      store.AddFirstCome(
          {id, Interval{kNow, kNow + hours{1}}, 0, 1, job.first_come, job.at_submission});
    jobs.push_back(job);
  }
  ASSERT_TRUE(store.Commit());
  for (const std::size_t newest : {0ul, 1ul, 7ul, 30ul, 99ul}) {
    EndedSums expected;
    for (std::size_t i = 0; i + newest < jobs.size(); ++i)
      expected.Add(jobs[i].energy, jobs[i].emissions, jobs[i].at_submission, jobs[i].first_come);
    const auto sums = SumEnded(store.database(), newest);
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->energy, expected.energy);
    EXPECT_NEAR(sums->emissions.grams, expected.emissions.grams, 1e-9);
    for (const auto part : {&EndedSums::on_submission, &EndedSums::on_first_come}) {
      const Compared& is = (*sums).*part;
      const Compared& should = expected.*part;
      EXPECT_EQ(is.jobs, should.jobs);
      EXPECT_EQ(is.not_compared, should.not_compared);
      EXPECT_NEAR(is.emitted.grams, should.emitted.grams, 1e-9);
      EXPECT_NEAR(is.baseline.grams, should.baseline.grams, 1e-9);
    }
  }
}

TEST(FirstComeRecords, PlacesReadBackAndEndWithTheirJob) {
  auto store = *ServiceStore::Open(ScratchDirectory("first-come-places") / "ebb.db");
  const core::JobId early = Ended(store, Energy::Joules(1), {});
  const core::JobId late = Ended(store, Energy::Joules(1), {});
  const core::JobId nowhere = Ended(store, Energy::Joules(1), {});
  store.AddFirstCome({early, Interval{kNow, kNow + hours{1}}, 0, 1, {}});
  store.AddFirstCome({late, Interval{kNow, kNow + hours{9}}, 0, 1, {}});
  store.AddFirstCome(
      {late, Interval{kNow + hours{1}, kNow + hours{3}}, 2, 4, Emissions{5}, Emissions{6}});
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
  ASSERT_TRUE(store.database().Run("DELETE FROM jobs WHERE id = ?", {late}));
  EXPECT_TRUE(FirstComeAfter(store.database(), kNow)->size() == 1);
}

}  // namespace
}  // namespace ebb::store
