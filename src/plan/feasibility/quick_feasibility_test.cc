#include "plan/feasibility/quick_feasibility.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2023-05-01T17:00");

core::Cluster TwoPools() {
  core::Cluster cluster;
  cluster.sites = {{"home", "Z", {1.0}}};
  cluster.pools = {{"A5000", 0, 4, 1, 1, {}}, {"3090", 0, 2, 1.25, 1.8, {}}};
  return cluster;
}

core::Job JobOf(core::JobId id, Duration duration, Time start_by) {
  core::Job job;
  job.id = id;
  job.submitted = kNow;
  job.duration = duration;
  job.power = {300};
  job.start_by = start_by;
  return job;
}

core::Job RandomJob(Random& random, core::JobId id) {
  core::Job job = JobOf(id, minutes{1 + static_cast<int>(random.Below(300))},
                        kNow + minutes{static_cast<int>(random.Below(3000))});
  job.devices = 1 + static_cast<int>(random.Below(3));
  job.checkpointable = random.Below(2) == 0;
  if (random.Below(4) == 0) job.models = {"3090"};
  if (random.Below(4) == 0) job.finish_by = *job.start_by + job.duration + minutes{30};
  return job;
}

struct Queue {
  core::Cluster cluster = TwoPools();
  std::vector<core::Job> jobs;
  std::vector<JobView> views;

  // Job 1 runs.
  Problem At(Time now) {
    views.clear();
    for (const core::Job& job : jobs) {
      views.push_back({&job, JobState::kWaiting, job.duration, -1, {}, 0});
      if (job.id == 1) views.back() = {&job, JobState::kRunning, job.duration, 0, kNow, 0};
    }
    return {now, &cluster, views, {}};
  }
};

TEST(QuickFeasibility, JobAfterJobItSaysWhatOneThatIsBuiltAnewSays) {
  int held = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Queue queue;
    queue.jobs.push_back(JobOf(1, hours{2}, kNow));
    QuickFeasibility grows(queue.At(kNow));
    for (core::JobId id = 2; id < 40; ++id) {
      const core::Job job = RandomJob(random, id);
      const bool holds = grows.Holds(job, queue.cluster, kNow);
      EXPECT_EQ(holds, QuickFeasibility(queue.At(kNow)).Holds(job, queue.cluster, kNow))
          << "seed " << seed << " job " << id;
      ++(holds ? held : refused);
      if (!holds && random.Below(8) != 0) continue;
      grows.Add(job, queue.cluster, kNow);
      queue.jobs.push_back(job);
    }
  }
  EXPECT_GT(held, 500);
  EXPECT_GT(refused, 500);
}

TEST(QuickFeasibility, TimeThatPassesMakesItMoreCareful) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Queue queue;
    for (core::JobId id = 1; id < 12; ++id) queue.jobs.push_back(RandomJob(random, id));
    const QuickFeasibility old(queue.At(kNow));
    const Time later = kNow + minutes{static_cast<int>(random.Below(200))};
    const core::Job job = RandomJob(random, 20);
    if (!old.Holds(job, queue.cluster, later)) continue;
    ++held;
    EXPECT_TRUE(QuickFeasibility(queue.At(later)).Holds(job, queue.cluster, later))
        << "seed " << seed;
  }
  EXPECT_GT(held, 20);
}

TEST(QuickFeasibility, ByHand) {
  Queue queue;
  queue.cluster.pools = {{"A5000", 0, 1, 1, 1, {}}};
  queue.jobs = {JobOf(2, hours{3}, kNow + hours{1})};
  QuickFeasibility fit(queue.At(kNow));
  const auto holds = [&](Duration duration, Duration start_in) {
    return fit.Holds(JobOf(9, duration, kNow + start_in), queue.cluster, kNow);
  };
  EXPECT_TRUE(holds(hours{1}, hours{0})) << "before the other, which then begins in time";
  EXPECT_FALSE(holds(hours{2}, hours{0})) << "the other would begin too late";
  EXPECT_TRUE(holds(hours{2}, hours{3})) << "after the other";
  EXPECT_FALSE(holds(hours{2}, hours{2}));
  fit.Add(JobOf(9, hours{2}, kNow + hours{3}), queue.cluster, kNow);
  EXPECT_FALSE(holds(hours{1}, hours{4}));
  EXPECT_TRUE(holds(hours{1}, hours{5}));
}

}  // namespace
}  // namespace ebb::plan
