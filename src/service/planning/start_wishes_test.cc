#include "service/planning/start_wishes.h"

#include <gtest/gtest.h>

#include "testing/builders.h"

namespace ebb::service {
namespace {

const Time kNow = *ParseTime("2023-05-01");

Time In(int hours) { return kNow + std::chrono::hours{hours}; }

class StartWishesTest : public ::testing::Test {
 protected:
  StartWishesTest() {
    state_.now = kNow;
    state_.cluster = testing::ClusterOf(1);
    state_.cluster.sites.push_back({"norway", "NO", {1}});
    state_.cluster.pools.push_back(state_.cluster.pools.front());
    state_.cluster.pools.back().site = 1;
  }
  // A waiting job whose plan begins in two hours on the pool.
  engine::LiveJob& Add(core::JobId id, Time latest, int pool = 1) {
    engine::LiveJob live;
    live.job = testing::AJob(id).Runs(std::chrono::hours{1}).Draws(100);
    live.job.start_by = latest;
    live.remaining = live.job.duration;
    plan::JobPlan plan;
    plan.job = id;
    plan.segments = {{pool, {In(2), In(3)}}};
    state_.live.emplace_back(std::move(live));
    state_.schedule.jobs.push_back(std::move(plan));
    return state_.live.back().Change();
  }

  engine::State state_;
};

TEST_F(StartWishesTest, AJobThatMustStartSoonIsKeptWhereThePlanPutsIt) {
  Add(1, In(10)).attempt = 2;
  EXPECT_EQ(StartsToKeep(state_), (std::vector<local::StartWish>{{1, 3, 1, In(2), In(10)}}));
}

TEST_F(StartWishesTest, JobsAtHomeAndThoseWithMuchTimeAreNotSentAhead) {
  Add(1, In(10), 0);
  Add(2, In(25));
  EXPECT_TRUE(StartsToKeep(state_).empty());
}

TEST_F(StartWishesTest, NothingIsKeptThatMayNotStart) {
  Add(1, In(10)).control = engine::JobControl::kHold;
  Add(2, In(10)).stage = engine::Stage::kRunning;
  Add(3, In(10)).retry_at = In(1);
  EXPECT_TRUE(StartsToKeep(state_).empty());
}

TEST_F(StartWishesTest, ADrainKeepsNothing) {
  Add(1, In(10));
  state_.drain.emplace();
  EXPECT_TRUE(StartsToKeep(state_).empty());
}

TEST_F(StartWishesTest, TheEarliestGoesFirstWhereDevicesAreFew) {
  Add(1, In(10));
  Add(2, In(5));
  const auto wishes = StartsToKeep(state_);
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes.front().job, 2);
}

}  // namespace
}  // namespace ebb::service
