#pragma once
// The port through which commands reach the world and reports come back. Users: the simulated
// executor (sim), the local executor (local), a cluster (kubernetes). All pass the contract suite
// in testing/executor_contract.h.
//
// Thread contract: every method on the loop's thread.

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
  /// "simulated", "local".
  virtual std::string name() const = 0;
  /// The clock that its reports are on. Goes on steadily; jumps in TakeClockSet only.
  virtual Time Now() const = 0;
  /// That clock was set since the last call: from now on Now and reports are on it as it is.
  /// WaitForEvents ends when there is something to take. Nothing where nobody can set the clock.
  virtual std::optional<engine::ClockSet> TakeClockSet() { return std::nullopt; }
  /// The devices there are now.
  virtual core::Cluster cluster() const = 0;

  /// Everything it knows of jobs that have not been forgotten, ended ones included.
  virtual Result<std::vector<engine::JobReport>> Observe() = 0;
  /// Idempotent: a start of an attempt that was started before does nothing. Returns when the
  /// command is under way; what came of it is reported. An Error: it could not even be tried; a
  /// start with kTryLater by the machine's fault, so that it counts against no job.
  virtual Status Execute(const engine::Command& command) = 0;
  /// Blocks until something happened or `deadline` is reached; reports in the order they happened,
  /// none at the deadline. Interrupted (Ctrl-C) returns early.
  virtual Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) = 0;
  /// What is known already of jobs that were submitted a moment ago, in the order it happened: some
  /// of them may run since before anybody knew of them. Asked before each decision; never blocks.
  virtual std::vector<engine::JobReport> TakeEarly() { return {}; }
  /// The end of this job is stored: Observe need not report it any more. Idempotent; a job that is
  /// not known, or of which an attempt is under way, is left as it is.
  virtual void Forget(core::JobId job) = 0;
};

}  // namespace ebb::runtime
