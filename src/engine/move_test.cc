#include "engine/move.h"

#include "engine/engine_for_test.h"

namespace ebb::engine {
namespace {

class MoveTest : public ::testing::Test {
 protected:
  MoveTest() {
    state_.now = kNow;
    state_.cluster = testing::ClusterOf(1);
    state_.cluster.sites.push_back({"there", "NO", {1}});
    state_.cluster.pools.push_back(state_.cluster.pools.front());
    state_.cluster.pools.back().site = 1;
    state_.signals.resize(2);
    live_.job = testing::AJob(1).Runs(std::chrono::hours{2}).Draws(100).Pausable();
    live_.stage = Stage::kRunning;
    live_.pool = 0;
    live_.remaining = live_.job.duration;
    live_.segment_begin = kNow;
    plan_.segments = {{1, {kNow, kNow + std::chrono::hours{2}}}};
  }
  void Intensities(double here, double there) {
    for (const auto& [site, value] : {std::pair{0, here}, std::pair{1, there}}) {
      core::SignalView view;
      view.now = kNow;
      view.known = *core::IntensitySeries::Create(
          {}, {{{kNow - std::chrono::hours{1}, kNow + std::chrono::hours{100}}, {value}}});
      state_.signals[static_cast<std::size_t>(site)].view = view;
    }
  }

  State state_;
  LiveJob live_;
  plan::JobPlan plan_;
};

TEST_F(MoveTest, APlanAtTheSameSiteIsNoMove) {
  EXPECT_TRUE(GoesElsewhere(state_, live_, plan_));
  plan_.segments.front().pool = 0;
  EXPECT_FALSE(GoesElsewhere(state_, live_, plan_));
}

TEST_F(MoveTest, AMoveSavesATenthAtLeast) {
  Intensities(100, 80);
  EXPECT_TRUE(IsWorthMoving(state_, live_, plan_));
  Intensities(100, 95);
  EXPECT_FALSE(IsWorthMoving(state_, live_, plan_));
}

TEST_F(MoveTest, TheTimeOfTheMoveCounts) {
  Intensities(100, 80);
  plan_.segments.front().time.end += std::chrono::minutes{30};
  EXPECT_FALSE(IsWorthMoving(state_, live_, plan_)) << "2.5 h at 80 are as much as 2 h at 100";
}

TEST_F(MoveTest, WhatTheNetworkTakesCounts) {
  Intensities(100, 80);
  // 100 W for 2 h emit 20 g here and 16 g there, and 100 GB over the network 600 g.
  live_.job.checkpoint_bytes = 100'000'000'000;
  EXPECT_FALSE(IsWorthMoving(state_, live_, plan_));
}

TEST_F(MoveTest, AJobThatEndsSoonStays) {
  Intensities(100, 10);
  live_.remaining = std::chrono::minutes{59};
  plan_.segments.front().time.end = kNow + std::chrono::minutes{59};
  EXPECT_FALSE(IsWorthMoving(state_, live_, plan_));
  live_.job.finish_by = kNow + std::chrono::minutes{30};
  EXPECT_TRUE(IsWorthMoving(state_, live_, plan_)) << "late here";
}

TEST_F(MoveTest, AJobThatWouldBeLateMovesWhateverItSaves) {
  Intensities(100, 100);
  live_.job.finish_by = kNow + std::chrono::hours{1};
  EXPECT_TRUE(IsWorthMoving(state_, live_, plan_));
}

// A policy whose plan for every job is to run now at the site that the test says.
class AtSite final : public plan::Policy {
 public:
  explicit AtSite(const std::map<core::JobId, int>& sites) : sites_(sites) {}
  std::string_view name() const override { return "at site"; }
  void Update(const plan::Problem& problem, const plan::Change&,
              plan::Schedule& schedule) const override {
    for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
      plan::JobPlan& plan = schedule.jobs[i];
      plan.job = problem.jobs[i].job->id;
      plan.run_now = true;
      plan.pool = sites_.at(plan.job);
      plan.segments = {{plan.pool, {problem.now, problem.now + problem.jobs[i].remaining}}};
    }
  }

 private:
  const std::map<core::JobId, int>& sites_;
};

// Two sites with a device each, and running jobs of 20 hours.
class MovesTest : public ::testing::Test {
 protected:
  MovesTest() {
    core::Cluster cluster = testing::ClusterOf(1);
    cluster.sites.push_back({"there", "NO", {1}});
    cluster.pools.push_back(cluster.pools.front());
    cluster.pools.back().site = 1;
    Apply(kNow, ClusterChanged{cluster});
  }
  void Apply(Time at, Fact fact) {
    const auto taken = engine_.Apply({at, std::move(fact)});
    EXPECT_TRUE(taken) << taken.error().Message();
  }
  void Run(core::JobId id, int site) {
    sites_[id] = site;
    Apply(kNow,
          JobSubmitted{testing::AJob(id).Submitted(kNow).Runs(std::chrono::hours{20}).Pausable()});
    EXPECT_EQ(engine_.Decide(kNow).commands.size(), 1u);
    Apply(kNow, JobReport{id, 1, JobPhase::kRunning, site, kNow, 0, ""});
  }
  std::vector<core::JobId> PausedAfter(std::chrono::minutes time) {
    std::vector<core::JobId> paused;
    for (const Command& command : engine_.Decide(kNow + time).commands)
      if (const auto* pause = std::get_if<PauseJob>(&command)) paused.push_back(pause->job);
    return paused;
  }

  std::map<core::JobId, int> sites_;  // where the plan of each job is
  Engine engine_{{}, std::make_unique<AtSite>(sites_)};
};

TEST_F(MovesTest, AJobWhosePlanIsAnotherSiteNowIsPausedForIt) {
  Run(1, 0);
  sites_[1] = 1;
  EXPECT_TRUE(PausedAfter(std::chrono::minutes{59}).empty()) << "it stays an hour";
  EXPECT_EQ(PausedAfter(std::chrono::minutes{61}), std::vector<core::JobId>{1});
}

TEST_F(MovesTest, AJobStaysWhileThereIsNoDeviceWhereItIsToGo) {
  Run(1, 0);
  Run(2, 1);
  sites_[1] = 1;
  EXPECT_TRUE(PausedAfter(std::chrono::minutes{61}).empty()) << "job 2 is there";
}

TEST_F(MovesTest, TwoJobsChangePlaces) {
  Run(1, 0);
  Run(2, 1);
  std::swap(sites_[1], sites_[2]);
  EXPECT_EQ(PausedAfter(std::chrono::minutes{61}), (std::vector<core::JobId>{1, 2}));
}

TEST_F(EngineTest, TheSizeOfACheckpointIsKnownFromThePause) {
  Make("run-now", 1);
  Submit(testing::AJob(1).Submitted(kNow).Runs(std::chrono::hours{2}).Pausable());
  engine_->Decide(kNow);
  Report(1, JobPhase::kRunning, kNow);
  JobReport paused{1, 1, JobPhase::kPaused, 0, kNow + std::chrono::hours{1}, 0, ""};
  paused.checkpoint_bytes = 5000;
  Apply(paused.since, paused);
  EXPECT_EQ(engine_->state().FindLive(1)->job.checkpoint_bytes, 5000);
}

TEST_F(EngineTest, AnAttemptThatRunsAtAnotherSiteThanAskedHoldsDevicesThere) {
  Make("run-now", 1);
  core::Cluster cluster = testing::ClusterOf(1);
  cluster.sites.push_back({"there", "NO", {1}});
  cluster.pools.push_back(cluster.pools.front());
  cluster.pools.back().site = 1;
  Apply(kNow, ClusterChanged{cluster});
  Submit(testing::AJob(1).Submitted(kNow));
  engine_->Decide(kNow);
  const int asked = engine_->state().FindLive(1)->pool;
  Apply(kNow, JobReport{1, 1, JobPhase::kRunning, 1 - asked, kNow, 0, ""});
  EXPECT_EQ(engine_->state().FindLive(1)->pool, 1 - asked);
  EXPECT_EQ(engine_->state().FreeDevices()[static_cast<std::size_t>(asked)], 1);
}

TEST_F(EngineTest, AStartThatWaitsForAnotherSiteToLetGoIsNotLost) {
  Make("run-now", 1);
  Submit(testing::AJob(1).Submitted(kNow));
  EXPECT_EQ(Started(kNow), Ids{1});
  const JobReport waits{1, 1, JobPhase::kStarting, 0, kNow, 0, ""};
  for (int look = 1; look <= 5; ++look) {
    const Time at = kNow + std::chrono::minutes{look};
    EXPECT_FALSE(engine_->Differs({{waits}, false}));
    Apply(at, ExecutorObserved{{waits}, false});
    EXPECT_TRUE(engine_->Decide(at).commands.empty());
  }
  EXPECT_EQ(engine_->state().FindLive(1)->attempt, 1);
  EXPECT_EQ(engine_->state().FindLive(1)->stage, Stage::kStarting);
  // The site does not let go: it runs the attempt itself.
  Report(1, JobPhase::kRunning, kNow + std::chrono::minutes{6});
  EXPECT_EQ(engine_->state().FindLive(1)->stage, Stage::kRunning);
}

TEST_F(EngineTest, AJobAtASiteThatCannotBeReachedIsNotPaused) {
  MakeScripted(1);
  core::Cluster cluster = testing::ClusterOf(1);
  cluster.sites.push_back({"there", "NO", {1}});
  cluster.pools.push_back(cluster.pools.front());
  cluster.pools.back().site = 1;
  Apply(kNow, ClusterChanged{cluster});
  Submit(testing::AJob(1).Submitted(kNow).Runs(std::chrono::hours{4}).Pausable());
  wants_[1] = true;
  engine_->Decide(kNow);
  Apply(kNow, JobReport{1, 1, JobPhase::kRunning, 1, kNow, 0, ""});
  cluster.pools.back().count = 0;
  cluster.pools.back().away = 1;
  Apply(kNow, ClusterChanged{cluster});
  wants_[1] = false;
  EXPECT_TRUE(engine_->Decide(kNow + std::chrono::hours{1}).commands.empty());
  cluster.pools.back().count = 1;
  cluster.pools.back().away = 0;
  Apply(kNow + std::chrono::hours{1}, ClusterChanged{cluster});
  EXPECT_EQ(engine_->Decide(kNow + std::chrono::hours{1}).commands.size(), 1u);
}

}  // namespace
}  // namespace ebb::engine
