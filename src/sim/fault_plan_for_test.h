#pragma once
// Seeded trouble between the engine and the world, with an end. A run under a plan crashes and
// recovers from its journal as often as the plan says. Afterwards every job must have ended exactly
// once. One seed and one commit reproduce a run.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "runtime/run_loop.h"
#include "sim/simulated_executor.h"

namespace ebb::sim {

/// Chances of faults, each per occasion. They hold until `until`; after that the world behaves.
struct FaultPlan {
  std::uint64_t seed = 1;
  Time until{};
  double lost_reports = 0;        ///< a report never arrives
  double duplicate_reports = 0;   ///< a report arrives twice, the second time later
  double late_reports = 0;        ///< a report arrives with the next wake-up
  double swallowed_commands = 0;  ///< a command is taken and not carried out
  double refused_commands = 0;    ///< Execute returns an Error
  double lost_attempts = 0;       ///< per wake-up: one running attempt vanishes
  double crashes = 0;             ///< per record: the process dies before or after storing it
  double signal_outages = 0;      ///< per observation: the source fails
  double stale_signals = 0;       ///< per observation: the answer is six hours old
  double wrong_forecasts = 0;     ///< per observation: the forecast is off by a random factor each
  Duration clock_jump{};          ///< the executor's clock jumps by this...
  Time clock_jumps_at = Time::max();
  WorldOptions world;  ///< slow programs, failed starts
};

/// A plan with a few kinds of trouble chosen by the seed, some days long.
FaultPlan DrawFaultPlan(std::uint64_t seed, Time begin);

/// Deliberate bugs, which show that the checks notice bugs.
enum class Canary {
  kNone,
  kIgnoresCapacity,  ///< the engine believes in three times the devices
  kStartsTwice,      ///< every start is followed by a start of the next attempt
  kForgetsEnds,      ///< the ends of jobs are neither reported nor observed
};

struct FaultCase {
  FaultPlan plan;
  core::Cluster cluster;
  std::vector<core::Job> jobs;
  std::vector<runtime::SignalFeed*> feeds;  ///< as cluster.sites
  std::function<std::unique_ptr<engine::Engine>()> make_engine;
  Time begin{};
  Time give_up{};  ///< the time at which jobs that have not ended count as forgotten
  Canary canary = Canary::kNone;
};

struct FaultOutcome {
  int crashes = 0;
  std::vector<std::string> violations;  ///< broken laws, in words
  std::vector<runtime::JournalRecord> journal;
};

/// Runs the case to its end, restarting after every crash, and checks it.
FaultOutcome RunWithFaults(const FaultCase& fault_case);

}  // namespace ebb::sim
