#pragma once
// The loop of simulated and of real execution. It moves events in and commands out; the engine
// decides what to do, and the executor does it.
//
//   once: cluster, then everything the executor knows (lost commands and reports are made good)
//   then: signals that are due -> submissions that are due (before the first decision all that have
//   come), and which of them run already -> devices that came or went -> Decide -> journal ->
//   execute ->
//         wait for the world -> apply what it reports, and so on until nothing is left
//
// If nothing but submissions came in and these are patient, they are stored and the decision about
// them waits.
//
// A decision is in the journal before it is carried out; after a crash the journal is replayed into
// a new engine (engine/journal_json.h) and Run is called with it again.
//
// Thread contract: one thread. A feed that waits for a network answers from its cache (signals/); a
// slow feed delays a decision by as long as it takes to answer.

#include <functional>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "runtime/clock_watch.h"
#include "runtime/executor.h"
#include "runtime/heartbeat.h"
#include "runtime/journal.h"
#include "runtime/plan_worker.h"
#include "runtime/signal_feed.h"
#include "runtime/submissions.h"

namespace ebb::runtime {

/// Receives the events of the loop, for live displays and records. Called on the loop's thread.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  /// The engine has taken this fact.
  virtual void OnEvent(const engine::Event&) {}
  /// The engine has refused this fact: a submission that cannot be met.
  virtual void OnRefused(const engine::Event&, const Error&) {}
  /// All facts that the engine has taken so far are stored; the decision about them comes later.
  virtual void OnStored() {}
  /// The next decision is about to be made.
  virtual void OnDeciding() {}
  /// The decision is stored and its commands have been given (the commands of the first decision of
  /// a life are about to be given). Their outcomes come later. The engine's state already contains
  /// the decision.
  virtual void OnDecision(const engine::Decision&, const engine::Engine&) {}
  /// The executor could not even try a command; it is given again at the next reconciliation.
  virtual void OnCommandFailed(const engine::Command&, const Error&) {}
};

struct LoopPorts {
  Executor& executor;
  std::vector<SignalFeed*> feeds;  ///< of the first sites of the cluster, in their order
  Submissions& submissions;
  Journal* journal = nullptr;  ///< nullptr: nothing is kept
  LoopObserver* observer = nullptr;
  /// Asked in every cycle and before each command. If it returns true, the remaining commands are
  /// left to the next life.
  std::function<bool()> interrupted = [] { return false; };
  PlanWorker* plan_worker = nullptr;  ///< nullptr: every decision makes a whole plan
  Heartbeat* heartbeat = nullptr;     ///< told where the loop stands; the executor calls Beat
  /// The feed of a site beyond `feeds`, for sites that are known only once the executor runs;
  /// nullptr: the site has no signal. It must outlive the loop.
  std::function<SignalFeed*(const core::Site&)> feed_of = [](const core::Site&) { return nullptr; };
};

struct LoopOptions {
  Duration horizon{std::chrono::hours{96}};  ///< time for which forecasts are asked
  /// Interval at which the executor is asked for changes that it did not report.
  Duration reconcile_every{std::chrono::hours{1}};
  Duration signal_retry{std::chrono::minutes{1}};  ///< first wait after a source failed; doubled...
  Duration signal_retry_limit{std::chrono::minutes{30}};  ///< ...up to this
  Time end = Time::max();  ///< time at which the loop stops even if jobs are left
  /// An engine whose time is further ahead of the clock than this was given wrong times.
  Duration clock_tolerance = ClockWatchOptions{}.tolerance;
};

struct LoopResult {
  Time ended{};
  bool interrupted = false;
  std::int64_t cycles = 0;
  std::int64_t events = 0;
};

/// Runs until every submission has come and every job has ended, until interrupted, or until
/// options.end. Errors: the journal cannot be written, the executor cannot be asked.
Result<LoopResult> Run(engine::Engine& engine, const LoopPorts& ports, const LoopOptions& options);

}  // namespace ebb::runtime
