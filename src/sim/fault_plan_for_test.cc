#include "sim/fault_plan_for_test.h"

#include <array>

#include "engine/journal_json.h"
#include "sim/faulty_ports_for_test.h"

namespace ebb::sim {
namespace {

// A run that crashes more often than this is broken in another way.
constexpr int kCrashLimit = 10'000;

std::string JobText(core::JobId id) { return "job " + std::to_string(id); }

// Checks that every job ended exactly once, both in the world and in the engine.
void CheckEnds(const FaultCase& fault_case, const engine::Engine& engine,
               const SimulatedExecutor& world, std::vector<std::string>& violations) {
  for (const core::Job& job : fault_case.jobs) {
    const engine::EndedJob* ended = engine.state().FindEnded(job.id);
    const int ends = world.runs().at(job.id).ends;
    if (!ended) {
      const engine::Explanation* why = engine.Explain(job.id);
      violations.push_back(JobText(job.id) + " has not ended for the engine: " +
                           (why ? engine::Sentence(*why) : "it is not known"));
    } else if (ended->stage != engine::Stage::kSucceeded) {
      violations.push_back(JobText(job.id) + " " + std::string(Name(ended->stage)) + ": " +
                           ended->detail);
    }
    if (ends != 1)
      violations.push_back(JobText(job.id) + " ended " + std::to_string(ends) + " times");
  }
}

class FaultyRun {
 public:
  explicit FaultyRun(const FaultCase& fault_case)
      : case_(fault_case),
        world_(fault_case.cluster, fault_case.begin, fault_case.plan.world),
        executor_(world_, fault_case.plan, fault_case.canary),
        journal_(fault_case.plan) {
    for (const core::Job& job : case_.jobs) world_.AddJob(job);
    feeds_.reserve(case_.feeds.size());
    for (runtime::SignalFeed* feed : case_.feeds)
      feeds_.emplace_back(*feed, case_.plan, feeds_.size());
  }

  FaultOutcome Run() {
    while (RunUntilCrash()) {
      if (++outcome_.crashes > kCrashLimit) {
        outcome_.violations.push_back("crashes without end");
        break;
      }
    }
    outcome_.violations.insert(outcome_.violations.end(), world_.violations().begin(),
                               world_.violations().end());
    outcome_.journal = journal_.records();
    return std::move(outcome_);
  }

 private:
  // Runs one life of the process. Returns true if it crashed.
  bool RunUntilCrash() {
    const auto engine = case_.make_engine();
    if (auto replayed = engine::Replay(journal_.records(), *engine); !replayed) {
      outcome_.violations.push_back(replayed.error().Message());
      return false;
    }
    // A submitter without an answer submits again. A submission that is already known changes
    // nothing.
    auto submissions = runtime::SubmissionList::OfJobs(case_.jobs);
    runtime::LoopPorts ports{executor_, {}, submissions, &journal_};
    for (FaultyFeed& feed : feeds_) ports.feeds.push_back(&feed);
    runtime::LoopOptions options;
    options.end = case_.give_up;
    const auto result = runtime::Run(*engine, ports, options);
    if (journal_.TakeCrash()) return true;
    if (!result) outcome_.violations.push_back(result.error().Message());
    CheckEnds(case_, *engine, world_, outcome_.violations);
    return false;
  }

  const FaultCase& case_;
  SimulatedExecutor world_;
  FaultyExecutor executor_;
  std::vector<FaultyFeed> feeds_;
  CrashingJournal journal_;
  FaultOutcome outcome_;
};

}  // namespace

FaultPlan DrawFaultPlan(std::uint64_t seed, Time begin) {
  Random random(SeedFor(seed, 0));
  FaultPlan plan;
  plan.seed = seed;
  plan.until = begin + std::chrono::hours{24 + random.Below(48)};
  // Each kind of trouble is in about a third of the plans, alone or together with others.
  const auto sometimes = [&](double most) {
    const bool chosen = random.Below(3) == 0;
    const double chance = random.Uniform(0, most);
    return chosen ? chance : 0;
  };
  plan.lost_reports = sometimes(0.3);
  plan.duplicate_reports = sometimes(0.5);
  plan.late_reports = sometimes(0.5);
  plan.swallowed_commands = sometimes(0.3);
  plan.refused_commands = sometimes(0.3);
  plan.lost_attempts = sometimes(0.05);
  plan.crashes = sometimes(0.05);
  plan.signal_outages = sometimes(0.7);
  plan.stale_signals = sometimes(0.5);
  plan.wrong_forecasts = sometimes(1);
  if (random.Below(4) == 0) {
    plan.clock_jump = std::chrono::minutes{random.Below(360)} - std::chrono::hours{3};
    plan.clock_jumps_at = begin + std::chrono::hours{random.Below(48)};
  }
  plan.world.seed = seed;
  plan.world.duration_error = sometimes(1);
  plan.world.start_failures = sometimes(0.3);
  plan.world.checkpoint_takes = std::chrono::seconds{random.Below(300)};
  return plan;
}

FaultOutcome RunWithFaults(const FaultCase& fault_case) { return FaultyRun(fault_case).Run(); }

}  // namespace ebb::sim
