#include "plan/feasibility/deadline_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "base/random.h"
#include "plan/feasibility/feasibility.h"
#include "plan/planner/construct.h"
#include "testing/builders.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kNow = *ParseTime("2023-05-01T17:00");

// A queue of waiting jobs of an hour on two devices, with deadlines a month ahead.
struct LongQueue {
  explicit LongQueue(int count, Duration start_by = hours{30 * 24}) {
    for (int i = 1; i <= count; ++i) Add(AJob(i, start_by));
  }
  static core::Job AJob(int id, Duration start_by) {
    return testing::AJob(id).Submitted(kNow).Within(start_by);
  }
  void Add(const core::Job& job) {
    jobs.push_back(job);
    views.push_back({&jobs.back(), JobState::kWaiting, jobs.back().duration, -1, {}, 0});
  }
  Problem Get() {
    ++looks;
    return {kNow, &cluster, views, {}};
  }
  Status Check(DeadlineCheck& check, const core::Job& job) {
    return check.Check(job, cluster, kNow, [&] { return Get(); });
  }
  // True if the check finds that all of them can be in time.
  bool AllInTime() {
    Work work;
    return PlaceAsSoonAsPossible(FlatInput({kNow, &cluster, views, {}}), work).Total().late == 0;
  }

  core::Cluster cluster = testing::ClusterOf(2);
  std::deque<core::Job> jobs;
  std::vector<JobView> views;
  int looks = 0;
};

TEST(DeadlineCheck, AnOverfullQueueIsLookedAtOnceForThousandsOfQuestions) {
  LongQueue queue(3000, hours{24});  // 62 days of work
  DeadlineCheck check(queue.Get());
  for (int i = 0; i < 2000; ++i) {
    const Status status = queue.Check(check, LongQueue::AJob(10'000 + i, hours{1 + i % 500}));
    ASSERT_FALSE(status) << i;
    EXPECT_EQ(status.error().code, ExitCode::kInfeasible);
    EXPECT_THAT(status.error().next, HasSubstr("start_by 2023-07-03T05:00:00Z"));
  }
  EXPECT_LE(queue.looks, 2);
}

TEST(DeadlineCheck, WhatIsNamedAsTheEarliestIsTakenAndTheNextOneIsLater) {
  LongQueue queue(500, hours{24});
  DeadlineCheck check(queue.Get());
  const Duration ahead = hours{250};
  EXPECT_FALSE(queue.Check(check, LongQueue::AJob(1000, ahead - minutes{1})));
  for (int i = 0; i < 6; ++i) {
    const core::Job next = LongQueue::AJob(1001 + i, ahead + hours{i / 2});
    ASSERT_TRUE(queue.Check(check, next)) << i;
    check.Add(next, queue.cluster, kNow);
    EXPECT_EQ(queue.Check(check, LongQueue::AJob(2000, ahead + hours{i / 2})).has_value(),
              i % 2 == 0);
  }
}

// The check takes no job that misses its own deadline or makes another job miss one.
TEST(DeadlineCheck, AllThatAreTakenAreInTimeTogether) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    LongQueue queue(450, hours{500});
    DeadlineCheck check(queue.Get());
    Random random(seed);
    int taken = 0, refused = 0;
    for (int i = 0; i < 300; ++i) {
      core::Job job = LongQueue::AJob(1000 + i, hours{1 + random.Below(300)});
      job.duration = minutes{10 + random.Below(200)};
      job.devices = 1 + static_cast<int>(random.Below(2));
      if (!queue.Check(check, job)) {
        ++refused;
        continue;
      }
      ++taken;
      check.Add(job, queue.cluster, kNow);
      queue.Add(job);
      if (i % 20 == 0) {
        EXPECT_TRUE(queue.AllInTime()) << "seed " << seed << ", job " << i;
      }
    }
    EXPECT_TRUE(queue.AllInTime()) << "seed " << seed;
    EXPECT_GT(taken, 20);
    EXPECT_GT(refused, 20);
  }
}

TEST(DeadlineCheck, ShortQueuesAreSearchedAsAWhole) {
  LongQueue queue(3, hours{40});
  queue.cluster = testing::ClusterOf(1);
  DeadlineCheck check(queue.Get());
  for (int start = 0; start < 4; ++start) {
    const core::Job job = LongQueue::AJob(9, hours{start});
    EXPECT_EQ(queue.Check(check, job).has_value(), CheckDeadline(job, queue.Get()).has_value());
  }
}

}  // namespace
}  // namespace ebb::plan
