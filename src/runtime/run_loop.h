#pragma once
// The only loop: the same for simulated and real execution. It moves events in and commands out;
// what to do is the engine's decision, how to do it the executor's business.
//
//   once: cluster, then everything the executor knows (lost commands and reports are made good)
//   then: signals that are due -> submissions that are due (before the first decision all that have
//   come), and which of them run already -> devices that came or went -> Decide -> journal ->
//   execute ->
//         wait for the world -> apply what it reports, and so on until nothing is left
//
// Where nothing but submissions came in and these are patient, they are stored and the decision
// about them waits.
//
// A decision is in the journal before it is carried out; after a crash the journal is replayed into
// a new engine (engine/journal_json.h) and Run is called with it again.
//
// Thread contract: one thread. A feed that waits for a network answers from what it has
// (signals/ caches); a slow feed delays a decision by as long as it takes to answer.

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

/// What happens, as it happens: live display, records. Called on the loop's thread.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  /// A fact the engine has taken.
  virtual void OnEvent(const engine::Event&) {}
  /// A fact the engine has refused: a submission that cannot be met.
  virtual void OnRefused(const engine::Event&, const Error&) {}
  /// What the engine has taken so far is stored; the decision about it comes later.
  virtual void OnStored() {}
  /// The next decision is about to be made.
  virtual void OnDeciding() {}
  /// A decision that is stored, and whose commands have been given out (of the first decision of a
  /// life: are about to be). What came of them comes later. The engine's state already holds it.
  virtual void OnDecision(const engine::Decision&, const engine::Engine&) {}
  /// The executor could not even try a command; it is given again at the next reconciliation.
  virtual void OnCommandFailed(const engine::Command&, const Error&) {}
};

struct LoopPorts {
  Executor& executor;
  std::vector<SignalFeed*> feeds;  ///< as the cluster's sites
  Submissions& submissions;
  Journal* journal = nullptr;  ///< nullptr: nothing is kept
  LoopObserver* observer = nullptr;
  /// Asked in every cycle, and before each command: those that are left are the next life's.
  std::function<bool()> interrupted = [] { return false; };
  PlanWorker* plan_worker = nullptr;  ///< nullptr: every decision plans as a whole
  Heartbeat* heartbeat = nullptr;     ///< told where the loop stands; its beats are the executor's
};

struct LoopOptions {
  Duration horizon{std::chrono::hours{96}};         ///< how far ahead forecasts are asked for
  Duration reconcile_every{std::chrono::hours{1}};  ///< asks the executor for what was not reported
  Duration signal_retry{std::chrono::minutes{1}};  ///< first wait after a source failed; doubled...
  Duration signal_retry_limit{std::chrono::minutes{30}};  ///< ...up to this
  Time end = Time::max();                                 ///< stops there even if jobs are left
  /// An engine that is further ahead of the clock than this was told wrong times.
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
