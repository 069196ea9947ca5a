#include "store/ended_sums.h"

#include <gtest/gtest.h>

#include "base/random.h"
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
      "UPDATE jobs SET stage = 'succeeded', ended_ms = ?4, energy_uj = ?2, emissions_g = ?3"
      " WHERE id = ?1",
      {job, energy.microjoules(), emissions ? Value{emissions->grams} : Value{},
       kNow.time_since_epoch().count()}));
  return job;
}

// Stored sums and kept jobs together are all jobs, for any number of jobs that are kept.
TEST(EndedSums, AreThoseOfAllButTheNewest) {
  auto store = *ServiceStore::Open(ScratchDirectory("ended-sums") / "ebb.db");
  Random random(5);
  struct Job {
    Energy energy;
    std::optional<Emissions> emissions, at_submission, first_come;
    std::optional<double> submission_half_g, first_come_half_g;
  };
  std::vector<Job> jobs;
  for (int i = 0; i < 30; ++i) {
    Job job;
    if (random.Below(5) != 0) {
      job.energy = Energy::Microjoules(1 + static_cast<std::int64_t>(random.Below(1'000'000)));
      if (random.Below(4) != 0) job.emissions = Emissions{random.Uniform(0, 9)};
      if (random.Below(4) != 0) job.at_submission = Emissions{random.Uniform(0, 9)};
      if (random.Below(4) != 0) job.first_come = Emissions{random.Uniform(0, 9)};
      if (random.Below(4) != 0) job.submission_half_g = random.Uniform(0, 1);
      if (random.Below(4) != 0) job.first_come_half_g = random.Uniform(0, 1);
    }
    const core::JobId id = Ended(store, job.energy, job.emissions);
    store.AddFirstCome({id,
                        Interval{kNow, kNow + hours{1}},
                        0,
                        1,
                        job.first_come,
                        job.at_submission,
                        {},
                        job.submission_half_g,
                        job.first_come_half_g});
    jobs.push_back(job);
  }
  ASSERT_TRUE(store.Commit());
  for (const std::size_t newest : {99ul, 30ul, 7ul, 7ul, 1ul, 0ul}) {
    EndedSums expected;
    for (std::size_t i = 0; i + newest < jobs.size(); ++i)
      expected.Add(jobs[i].energy, jobs[i].emissions,
                   {jobs[i].at_submission, jobs[i].submission_half_g},
                   {jobs[i].first_come, jobs[i].first_come_half_g});
    const auto sums = CountEnded(store, newest);
    ASSERT_TRUE(sums);
    ASSERT_TRUE(store.Commit());
    EXPECT_EQ(sums->energy, expected.energy);
    EXPECT_NEAR(sums->emissions.grams, expected.emissions.grams, 1e-9);
    for (const auto part : {&EndedSums::on_submission, &EndedSums::on_first_come}) {
      const Compared& is = (*sums).*part;
      const Compared& should = expected.*part;
      EXPECT_EQ(is.jobs, should.jobs);
      EXPECT_EQ(is.not_compared, should.not_compared);
      EXPECT_NEAR(is.emitted.grams, should.emitted.grams, 1e-9);
      EXPECT_NEAR(is.baseline.grams, should.baseline.grams, 1e-9);
      EXPECT_NEAR(is.half_width_g, should.half_width_g, 1e-9);
      EXPECT_EQ(is.without_interval, should.without_interval);
    }
  }
}

// Counting jobs one by one gives the same sums.
TEST(EndedSums, AJobIsCountedOnce) {
  auto store = *ServiceStore::Open(ScratchDirectory("counted-once") / "ebb.db");
  EndedSums sums;
  for (int i = 1; i <= 5; ++i) {
    const core::JobId job = Ended(store, Energy::Joules(i), Emissions{1.0 * i});
    if (i > 3) continue;
    sums.Add(Energy::Joules(i), Emissions{1.0 * i}, {}, {});
    PutCounted(store, job, sums);
  }
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(*UncountedJobs(store.database(), 9), (std::vector<core::JobId>{5, 4}));
  EXPECT_EQ(CountEnded(store, 2)->energy, Energy::Joules(6));
  const EndedSums more = *CountEnded(store, 1);
  EXPECT_EQ(more.energy, Energy::Joules(10));
  EXPECT_EQ(more.on_first_come.not_compared, 4);
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(CountEnded(store, 1)->energy, Energy::Joules(10));
}

}  // namespace
}  // namespace ebb::store
