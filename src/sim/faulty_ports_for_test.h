#pragma once
// The ports of the loop with a fault plan between them and the world. Private to
// fault_plan_for_test.cc.

#include <vector>

#include "base/random.h"
#include "sim/fault_plan_for_test.h"

namespace ebb::sim {

/// Decides if a fault of a given chance strikes now, by the plan's random numbers in order of use.
class FaultDice {
 public:
  FaultDice(const FaultPlan& plan, std::uint64_t stream)
      : until_(plan.until), random_(SeedFor(plan.seed, stream)) {}
  bool Strikes(double chance, Time now) {
    return chance > 0 && now < until_ && random_.Uniform() < chance;
  }
  Random& random() { return random_; }

 private:
  Time until_;
  Random random_;
};

class FaultyExecutor final : public runtime::Executor {
 public:
  FaultyExecutor(SimulatedExecutor& world, const FaultPlan& plan, Canary canary)
      : world_(world), plan_(plan), canary_(canary), dice_(plan, 1) {}

  std::string name() const override { return "faulty"; }
  Time Now() const override { return FromWorld(world_.Now()); }
  core::Cluster cluster() const override;
  Result<std::vector<engine::JobReport>> Observe() override;
  Status Execute(const engine::Command& command) override;
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  void Forget(core::JobId job) override { world_.Forget(job); }

 private:
  // The engine's clock jumps; the world's clock does not.
  Time FromWorld(Time time) const {
    return time >= plan_.clock_jumps_at ? time + plan_.clock_jump : time;
  }
  Time ToWorld(Time time) const;
  void Deliver(engine::JobReport report, std::vector<engine::JobReport>& out);
  void LoseAnAttempt();

  SimulatedExecutor& world_;
  const FaultPlan& plan_;
  Canary canary_;
  FaultDice dice_;
  std::vector<engine::JobReport> late_;
};

class FaultyFeed final : public runtime::SignalFeed {
 public:
  FaultyFeed(runtime::SignalFeed& truth, const FaultPlan& plan, std::uint64_t stream)
      : truth_(truth), plan_(plan), dice_(plan, 100 + stream) {}

  const core::SignalIdentity& identity() const override { return truth_.identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return truth_.Believed(interval);
  }
  Time NextChange(Time now) const override { return truth_.NextChange(now); }

 private:
  runtime::SignalFeed& truth_;
  const FaultPlan& plan_;
  FaultDice dice_;
};

/// Keeps records; "crashes" by failing, after storing the record or instead.
class CrashingJournal final : public runtime::Journal {
 public:
  CrashingJournal(const FaultPlan& plan) : plan_(plan), dice_(plan, 2) {}
  Status Append(const runtime::JournalRecord& record) override;
  const std::vector<runtime::JournalRecord>& records() const { return records_; }
  bool TakeCrash() { return std::exchange(crashed_, false); }

 private:
  const FaultPlan& plan_;
  FaultDice dice_;
  std::vector<runtime::JournalRecord> records_;
  bool crashed_ = false;
};

}  // namespace ebb::sim
