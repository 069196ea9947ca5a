#pragma once
// Runs jobs under a policy through the engine, the loop and the simulated executor, for tests.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "plan/make_policy.h"
#include "runtime/run_loop.h"
#include "sim/plan_throttle.h"
#include "sim/simulated_executor.h"
#include "testing/builders.h"
#include "testing/fake_feed.h"

namespace ebb::sim {

class MemoryJournal final : public runtime::Journal {
 public:
  Status Append(const runtime::JournalRecord& record) override {
    records_.push_back(record);
    return {};
  }
  const std::vector<runtime::JournalRecord>& records() const { return records_; }

 private:
  std::vector<runtime::JournalRecord> records_;
};

const Time kTestBegin = *ParseTime("2023-05-01");

/// Checks the laws that hold for every decision, whatever the policy.
class LawObserver final : public runtime::LoopObserver {
 public:
  void OnRefused(const engine::Event&, const Error& error) override {
    ADD_FAILURE() << error.Message();
  }
  void OnDecision(const engine::Decision& decision, const engine::Engine& engine) override {
    decisions_.push_back(decision);
    const engine::State& state = engine.state();
    for (const int free : state.FreeDevices()) EXPECT_GE(free, 0) << "more released than fits";
    // A decision that only explains may follow at once after a decision with commands.
    const bool nothing_follows = decision.commands.empty();
    EXPECT_GE(decision.wake_at - decision.at, Duration{nothing_follows ? 1 : 0});
    for (const auto& live : state.live) {
      const engine::Explanation& why = live->explanation;
      EXPECT_EQ(why.job, live->job.id);
      EXPECT_EQ(why.stage, live->stage);
      EXPECT_TRUE(why.reason.start) << "job " << why.job << ": " << engine::Sentence(why);
    }
    ExpectNobodyOvertaken(decision, state);
  }
  const std::vector<engine::Decision>& decisions() const { return decisions_; }

 private:
  // No job was overtaken: a waiting job that wants to run before a started job must not fit beside
  // the jobs that hold devices, even without the started jobs that come after it.
  static void ExpectNobodyOvertaken(const engine::Decision& decision, const engine::State& state) {
    std::vector<std::size_t> started;
    for (const engine::Command& command : decision.commands)
      if (const auto* start = std::get_if<engine::StartJob>(&command))
        started.push_back(state.LowerBound(start->job));
    if (started.empty()) return;
    const std::vector<int> free_now = state.FreeDevices();
    for (std::size_t i = 0; i < state.live.size(); ++i) {
      const engine::LiveJob& waits = *state.live[i];
      if (engine::HoldsDevices(waits.stage) || !state.schedule.jobs[i].run_now) continue;
      if (waits.retry_at > state.now || state.schedule.jobs[i].pool >= 0) continue;
      const core::GateRule rule = waits.explanation.reason.rule;
      if (rule == core::GateRule::kDevicesReserved || rule == core::GateRule::kRampLimit) continue;
      std::vector<int> free = free_now;
      for (const std::size_t k : started) {
        const engine::LiveJob& other = *state.live[k];
        const bool after = std::pair(state.schedule.jobs[i].order, waits.job.id) <
                           std::pair(state.schedule.jobs[k].order, other.job.id);
        if (after) free[static_cast<std::size_t>(other.pool)] += other.width();
      }
      for (std::size_t pool = 0; pool < free.size(); ++pool) {
        const bool fits = core::Fits(waits.job, state.cluster, static_cast<int>(pool)) &&
                          free[pool] >= waits.job.devices;
        EXPECT_FALSE(fits) << "job " << waits.job.id << " was overtaken";
      }
    }
  }

  std::vector<engine::Decision> decisions_;
};

struct TestRun {
  std::map<core::JobId, JobRun> runs;
  std::vector<engine::Decision> decisions;
  std::vector<runtime::JournalRecord> journal;

  Time StartOf(core::JobId job) const { return runs.at(job).segments.front().time.begin; }
  Time EndOf(core::JobId job) const { return runs.at(job).segments.back().time.end; }
  /// Job, pool and interval of every stretch that ran.
  std::vector<std::tuple<core::JobId, int, Time, Time>> Schedule() const {
    std::vector<std::tuple<core::JobId, int, Time, Time>> schedule;
    for (const auto& [id, run] : runs)
      for (const SegmentRun& segment : run.segments)
        schedule.emplace_back(id, segment.pool, segment.time.begin, segment.time.end);
    return schedule;
  }
};

struct TestScenario {
  std::vector<core::Job> jobs;
  core::Cluster cluster = testing::ClusterOf(2);
  std::vector<double> hourly = std::vector<double>(24 * 30, 200.0);
  std::vector<std::vector<double>> hourly_by_site;  ///< empty: `hourly` at every site
  engine::Options engine;
  plan::PolicyOptions policy;
  WorldOptions world;
  std::optional<PlanThrottleOptions> throttle;  ///< without: every change gives a whole plan

  TestScenario() {
    engine.admission = engine::Admission::kTakeAll;
    policy.tiers = core::PublishedTiers();
    // Budgets are small because laws hold for poor plans too.
    policy.planner.first_plan = policy.planner.next_plan = {200, 5'000, 0, 0};
    policy.planner.most_flow_arcs = 0;
  }

  TestRun Run(const std::string& policy_name) const {
    auto made = plan::MakePolicy(policy_name, policy);
    EXPECT_TRUE(made.has_value());
    engine::Engine under_test(engine, *std::move(made));
    SimulatedExecutor executor(cluster, kTestBegin, world);
    for (const core::Job& job : jobs) executor.AddJob(job);
    std::vector<testing::FakeFeed> feeds;
    for (std::size_t site = 0; site < cluster.sites.size(); ++site)
      feeds.emplace_back(kTestBegin - std::chrono::hours{48},
                         hourly_by_site.empty() ? hourly : hourly_by_site[site]);
    auto submissions = runtime::SubmissionList::OfJobs(jobs);
    LawObserver laws;
    MemoryJournal journal;
    runtime::LoopPorts ports{executor, {}, submissions, &journal, &laws};
    for (testing::FakeFeed& feed : feeds) ports.feeds.push_back(&feed);
    std::optional<PlanThrottle> throttler;
    if (throttle) ports.plan_worker = &throttler.emplace(executor, *throttle);
    const auto result = runtime::Run(under_test, ports, {});
    EXPECT_TRUE(result.has_value()) << result.error().Message();
    for (const std::string& violation : executor.violations()) ADD_FAILURE() << violation;
    for (const core::Job& job : jobs) EXPECT_EQ(executor.runs().at(job.id).ends, 1);
    return {executor.runs(), laws.decisions(), journal.records()};
  }
};

}  // namespace ebb::sim
