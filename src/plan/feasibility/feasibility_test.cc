#include "plan/feasibility/feasibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kNow = *ParseTime("2023-05-01T17:00");

core::Cluster TwoPools() {
  core::Cluster cluster;
  cluster.sites = {{"home", "Z", {1.0}}};
  cluster.pools = {{"A5000", 0, 2, 1, 1, {}}, {"3090", 0, 1, 1.25, 1.8, {}}};
  return cluster;
}

core::Job GoodJob() {
  core::Job job;
  job.id = 7;
  job.name = "train";
  job.submitted = kNow;
  job.duration = hours{1};
  job.power = {300};
  return job;
}

void ExpectRefused(const core::Job& job, ExitCode code, const std::string& words) {
  const Status status = CheckJob(job, TwoPools());
  ASSERT_FALSE(status.has_value()) << words;
  EXPECT_EQ(status.error().code, code);
  EXPECT_THAT(status.error().Message(), HasSubstr(words));
  EXPECT_THAT(status.error().where, HasSubstr("job 7 (train)"));
  EXPECT_FALSE(status.error().next.empty());
}

TEST(CheckJob, TakesAGoodJob) { EXPECT_TRUE(CheckJob(GoodJob(), TwoPools()).has_value()); }

TEST(CheckJob, RefusesValuesThatMeanNothing) {
  core::Job job = GoodJob();
  job.duration = Duration::zero();
  ExpectRefused(job, ExitCode::kConfiguration, "run time");
  job.duration = -hours{1};
  ExpectRefused(job, ExitCode::kConfiguration, "run time");
  job = GoodJob();
  job.devices = 0;
  ExpectRefused(job, ExitCode::kConfiguration, "0 devices");
  for (const double watts : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    job = GoodJob();
    job.power = {watts};
    ExpectRefused(job, ExitCode::kConfiguration, "power");
  }
  job = GoodJob();
  job.pause_cost = -minutes{1};
  ExpectRefused(job, ExitCode::kConfiguration, "pause overhead");
  job = GoodJob();
  job.minimum_segment = -minutes{1};
  ExpectRefused(job, ExitCode::kConfiguration, "minimum segment");
  job = GoodJob();
  job.overrides = {{"3090", 0, 1}};
  ExpectRefused(job, ExitCode::kConfiguration, "3090");
}

TEST(CheckJob, RefusesWidthsThatCannotBeChanged) {
  core::Job job = GoodJob();
  job.speedup = {{job.devices + 1, 1.5}};
  job.checkpointable = false;
  EXPECT_FALSE(CheckJob(job, TwoPools()));
  job.checkpointable = true;
  EXPECT_TRUE(CheckJob(job, TwoPools()));
  job.speedup[0].speed = 0.9;
  EXPECT_FALSE(CheckJob(job, TwoPools()));
}

TEST(CheckJob, CountsOnTheFastestWidthThatFits) {
  core::Cluster cluster = TwoPools();
  for (core::DevicePool& pool : cluster.pools) pool.count = 4, pool.speed = 1;
  core::Job job = GoodJob();
  job.start_by.reset();
  job.devices = 1;
  job.duration = std::chrono::hours{3};
  job.finish_by = job.submitted + std::chrono::minutes{100};
  job.checkpointable = true;
  EXPECT_FALSE(CheckJob(job, cluster));
  job.speedup = {{4, 2}};
  EXPECT_TRUE(CheckJob(job, cluster));
  const std::vector<JobView> none;
  EXPECT_TRUE(CheckDeadline(job, {job.submitted, &cluster, none, {}}));
  for (core::DevicePool& pool : cluster.pools) pool.count = 3;
  EXPECT_FALSE(CheckJob(job, cluster));
}

TEST(CheckJob, NamesUnknownSitesAndDevicesAndWhatThereIs) {
  core::Job job = GoodJob();
  job.sites = {"moon"};
  ExpectRefused(job, ExitCode::kConfiguration, "moon");
  ExpectRefused(job, ExitCode::kConfiguration, "sites: home");
  job = GoodJob();
  job.models = {"H100"};
  ExpectRefused(job, ExitCode::kConfiguration, "devices: A5000, 3090");
}

TEST(CheckJob, RefusesAJobWiderThanEveryPoolItMayUse) {
  core::Job job = GoodJob();
  job.devices = 3;
  ExpectRefused(job, ExitCode::kInfeasible, "largest it may use has 2");
  job.devices = 2;
  job.models = {"3090"};
  ExpectRefused(job, ExitCode::kInfeasible, "largest it may use has 1");
}

TEST(CheckJob, RefusesDeadlinesThatItContradictsItself) {
  core::Job job = GoodJob();
  job.start_by = kNow - minutes{1};
  ExpectRefused(job, ExitCode::kInfeasible, "before its submission");
  job = GoodJob();
  job.finish_by = kNow + minutes{47};  // the faster device takes 48 minutes
  ExpectRefused(job, ExitCode::kInfeasible, "2023-05-01T17:48:00Z");
  job.finish_by = kNow + minutes{48};
  EXPECT_TRUE(CheckJob(job, TwoPools()).has_value());
}

// One device that is busy for another two hours.
struct BusyQueue {
  core::Cluster cluster = TwoPools();
  core::Job running = GoodJob();
  std::vector<JobView> views;

  Problem Get() {
    cluster.pools = {{"gpu", 0, 1, 1, 1, {}}};
    running.id = 1;
    views = {{&running, JobState::kRunning, hours{2}, 0, kNow, 0}};
    return {kNow, &cluster, views, {}};
  }
};

TEST(CheckDeadline, NamesTheEarliestDeadlineThatCanBeMet) {
  BusyQueue queue;
  core::Job job = GoodJob();
  job.start_by = kNow + hours{1};
  const Status status = CheckDeadline(job, queue.Get());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ExitCode::kInfeasible);
  EXPECT_THAT(status.error().next, HasSubstr("start_by 2023-05-01T19:00:00Z"));
  EXPECT_THAT(status.error().next, HasSubstr("finish_by 2023-05-01T20:00:00Z"));
  job.start_by = kNow + hours{2};
  EXPECT_TRUE(CheckDeadline(job, queue.Get()).has_value());
}

TEST(CheckDeadline, KeepsTheJobsThatWaitInTime) {
  BusyQueue queue;
  Problem problem = queue.Get();
  core::Job waiting = GoodJob();
  waiting.id = 2;
  waiting.start_by = kNow + hours{2};
  queue.views.push_back({&waiting, JobState::kWaiting, hours{1}, -1, {}, 0});
  problem.jobs = queue.views;
  core::Job job = GoodJob();
  job.start_by = kNow + hours{2};
  EXPECT_FALSE(CheckDeadline(job, problem).has_value());
  job.start_by = kNow + hours{3};
  EXPECT_TRUE(CheckDeadline(job, problem).has_value());
}

TEST(CheckDeadline, TakesAJobThatGoesBeforeOneThatCanWait) {
  BusyQueue queue;
  Problem problem = queue.Get();
  core::Job waiting = GoodJob();
  waiting.id = 2;
  waiting.start_by = kNow + hours{20};
  queue.views.push_back({&waiting, JobState::kWaiting, hours{1}, -1, {}, 0});
  problem.jobs = queue.views;
  core::Job job = GoodJob();
  job.start_by = kNow + hours{2};
  EXPECT_TRUE(CheckDeadline(job, problem).has_value());
}

// Dozens of jobs that cannot all be in time must be refused one by one, each without a long search.
TEST(CheckDeadline, AQueueThatIsFarTooLongIsRefusedQuickly) {
  core::Cluster cluster = TwoPools();
  std::vector<core::Job> jobs(60, GoodJob());
  std::vector<JobView> taken;
  const auto began = std::chrono::steady_clock::now();
  for (core::Job& job : jobs) {
    job.id = &job - jobs.data();
    job.duration = minutes{84};
    job.start_by = kNow + hours{2};
    if (const Status status = CheckDeadline(job, {kNow, &cluster, taken, {}}); status)
      taken.push_back({&job, JobState::kWaiting, job.duration, -1, {}, 0});
    else
      EXPECT_THAT(status.error().next, HasSubstr("start_by"));
  }
  EXPECT_EQ(taken.size(), 6U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{60});
}

// Devices were away, so the waiting jobs cannot be in time any more. A job that can wait until all
// of them are done, one after the other on one device, delays no other job.
TEST(CheckDeadline, AQueueThatIsLateAnywayRefusesNobodyWhoCanWait) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    core::Cluster cluster = TwoPools();
    std::vector<core::Job> jobs(8 + random.Below(24), GoodJob());
    std::vector<JobView> views;
    Duration all{};
    for (core::Job& job : jobs) {
      job.id = 100 + (&job - jobs.data());
      job.duration = minutes{10 + static_cast<int>(random.Below(300))};
      job.devices = 1 + static_cast<int>(random.Below(2));
      job.start_by = kNow + minutes{static_cast<int>(random.Below(600))};
      views.push_back({&job, JobState::kWaiting, job.duration, -1, {}, 0});
      all += job.duration;
    }
    core::Job patient = GoodJob();
    patient.start_by = kNow + all;
    const Status taken = CheckDeadline(patient, {kNow, &cluster, views, {}});
    EXPECT_TRUE(taken) << seed << ": " << taken.error().Message();
    patient.duration = hours{1000};
    patient.devices = 2;
    patient.start_by = kNow;
    const Status refused = CheckDeadline(patient, {kNow, &cluster, views, {}});
    if (!refused) {
      EXPECT_THAT(refused.error().next, HasSubstr("earliest")) << seed;
    }
  }
}

TEST(CheckDeadline, AJobWithoutADeadlineAlwaysPasses) {
  BusyQueue queue;
  EXPECT_TRUE(CheckDeadline(GoodJob(), queue.Get()).has_value());
}

}  // namespace
}  // namespace ebb::plan
