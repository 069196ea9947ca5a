#pragma once
// An engine for tests, with short ways to submit and report, and policies that want what the test
// wants.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "plan/make_policy.h"
#include "testing/builders.h"

namespace ebb::engine {

inline const Time kNow = *ParseTime("2023-05-01");

// A policy that wants what the test says: run now if `wants` is true.
class Scripted final : public plan::Policy {
 public:
  Scripted(const std::map<core::JobId, bool>& wants, const std::optional<Intensity>& current)
      : wants_(wants), current_(current) {}
  std::string_view name() const override { return "scripted"; }
  void Update(const plan::Problem& problem, const plan::Change&,
              plan::Schedule& schedule) const override {
    for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
      const core::JobId id = problem.jobs[i].job->id;
      schedule.jobs[i].job = id;
      schedule.jobs[i].run_now = wants_.contains(id) && wants_.at(id);
      schedule.jobs[i].reason.current = current_;
    }
  }

 private:
  const std::map<core::JobId, bool>& wants_;
  const std::optional<Intensity>& current_;
};

class EngineTest : public ::testing::Test {
 protected:
  void Make(const std::string& policy, int devices, Options options = {}) {
    engine_ = std::make_unique<Engine>(options, *plan::MakePolicy(policy, {}));
    Apply(kNow, ClusterChanged{testing::ClusterOf(devices)});
  }
  void MakeScripted(int devices, Options options = {}) {
    engine_ = std::make_unique<Engine>(options, std::make_unique<Scripted>(wants_, current_));
    Apply(kNow, ClusterChanged{testing::ClusterOf(devices)});
  }
  void Apply(Time at, Fact fact) {
    const auto taken = engine_->Apply({at, std::move(fact)});
    EXPECT_TRUE(taken) << taken.error().Message();
  }
  void Submit(const core::Job& job) { Apply(job.submitted, JobSubmitted{job}); }
  void Report(core::JobId job, JobPhase phase, Time at, int attempt = 1) {
    Apply(at, JobReport{job, attempt, phase, 0, at, 0, ""});
  }
  // The ids that a decision starts.
  std::vector<core::JobId> Started(Time at) {
    std::vector<core::JobId> ids;
    for (const Command& command : engine_->Decide(at).commands)
      if (const auto* start = std::get_if<StartJob>(&command)) ids.push_back(start->job);
    return ids;
  }
  core::GateRule RuleOf(core::JobId job) { return engine_->Explain(job)->reason.rule; }

  std::map<core::JobId, bool> wants_;
  std::optional<Intensity> current_;  // intensity as the plans give it
  std::unique_ptr<Engine> engine_;
};

using Ids = std::vector<core::JobId>;

}  // namespace ebb::engine
