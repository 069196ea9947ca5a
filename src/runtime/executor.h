#pragma once
// The port through which commands reach the world and reports come back. Users: the simulated
// executor (sim), the local executor (local), a cluster (kubernetes). All pass the contract suite
// in testing/executor_contract.h.
//
// Thread contract: all methods are called on the loop's thread.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/decision.h"
#include "engine/event.h"

namespace ebb::runtime {

class Executor {
 public:
  virtual ~Executor() = default;
  /// Name of the executor: "simulated", "local".
  virtual std::string name() const = 0;
  /// The clock that the reports use. It runs steadily and jumps only in TakeClockSet.
  virtual Time Now() const = 0;
  /// Returns how the clock was set since the last call, if it was. From then on Now and reports use
  /// the new time. WaitForEvents returns when there is a step to take. An executor whose clock
  /// cannot be set always returns nullopt.
  virtual std::optional<engine::ClockSet> TakeClockSet() { return std::nullopt; }
  /// The devices that exist now.
  virtual core::Cluster cluster() const = 0;

  /// Reports on all jobs that have not been forgotten, ended ones included.
  virtual Result<std::vector<engine::JobReport>> Observe() = 0;
  /// Idempotent: a start of an attempt that was started before does nothing. Returns when the
  /// command is under way; its outcome is reported later. Fails if the command could not even be
  /// tried. A start that fails with kTryLater failed through the machine's fault, so it does not
  /// count against the job.
  virtual Status Execute(const engine::Command& command) = 0;
  /// Blocks until something happens or `deadline` is reached. Returns reports in the order of
  /// events, none at the deadline. Returns early if interrupted (Ctrl-C).
  virtual Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) = 0;
  /// Reports that already exist on jobs that were submitted a moment ago, in the order of events:
  /// some of these jobs may have been running before they were submitted. Called before each
  /// decision; never blocks.
  virtual std::vector<engine::JobReport> TakeEarly() { return {}; }
  /// The end of this job is stored: Observe need not report it any more. Idempotent. Does nothing
  /// for an unknown job and for a job with an attempt under way.
  virtual void Forget(core::JobId job) = 0;
};

}  // namespace ebb::runtime
