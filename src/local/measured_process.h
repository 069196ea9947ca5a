#pragma once
// A program that runs and is measured, from its first instruction to its last: its energy is
// sampled, accounted and handed on while somebody else waits for it. Users: RunAttempt (one
// program, measured_attempt.h) and the local executor (several).
//
// Thread contract: one thread; the sampler's own thread only fills a queue. All callbacks come on
// the caller's thread.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run.h"
#include "local/program_meter.h"
#include "platform/child_process.h"
#include "runtime/accountant.h"
#include "runtime/budget_watch.h"

namespace ebb::local {

struct AttemptOptions {
  platform::ChildOptions child;  ///< without words: nothing is started (MonitorMachine)
  /// Where nothing is started: a process that runs already and whose tree is measured, e.g. this
  /// one; 0: none.
  pid_t running_root = 0;
  int number = 1;
  Pue pue;
  meter::SamplerOptions sampler;  ///< of a program with meters of its own
  /// How often OnTick is called at the latest.
  Duration tick{1000};
  /// A signal of the other kind, accounted beside the one that decided; must outlive the process.
  runtime::SignalFeed* other_feed = nullptr;
  /// Empty: no limit. Number, PUE and sample interval of its terms are those above.
  std::optional<runtime::BudgetWatch::Terms> budget{};
  /// After a request to stop (Ctrl-C) was handed on: how long the program may take until it gets
  /// SIGTERM, and once more until it is killed. Absent: as long as it likes.
  std::optional<Duration> stop_grace{};
};

/// Figures while the program runs.
struct LiveFigures {
  Duration elapsed{};  ///< wall
  Energy energy;
  Emissions emissions;
  Power power;
};

class AttemptObserver {
 public:
  virtual ~AttemptObserver() = default;
  /// The program has been started.
  virtual Status OnBegin(const core::Attempt& attempt) = 0;
  /// Rows to keep. On an Error they are offered again with the next rows and once more at the end.
  virtual Status OnRows(std::span<const core::LedgerRow> rows) = 0;
  /// At least every tick. Returns true to close the current sample now, e.g. at the end of an
  /// epoch.
  virtual bool OnTick(const LiveFigures& figures) = 0;
  /// A budget was crossed; what has to follow is done already.
  virtual void OnBudget(const core::BudgetEvent&) {}
};

struct AttemptResult {
  core::Attempt attempt;
  std::vector<std::string> warnings;  ///< what could not be measured or kept
};

class MeasuredProcess {
 public:
  /// Starts the program and its measuring. An Error means that it never started (127, 126) or that
  /// OnBegin refused; then it has been asked to end. Everything borrowed must outlive the process.
  static Result<std::unique_ptr<MeasuredProcess>> Start(const AttemptOptions& options,
                                                        std::unique_ptr<ProgramMeter> meter,
                                                        runtime::SignalFeed& feed,
                                                        const runtime::GridClock& clock,
                                                        AttemptObserver& observer);
  ~MeasuredProcess();

  platform::ChildProcess& child();
  /// What the program was put into; null: nothing.
  const meter::Cgroup* cgroup() const;
  /// Takes in what was measured since the last call and hands it on.
  void Tick();
  LiveFigures figures() const;
  /// Everything that was taken in, as a budget counts it.
  core::BudgetUse use() const;
  /// Takes the last sample. Once the program has ended; where it is one of several, before its end
  /// is taken (meter::ProgramToMeter).
  void StopMeasuring();
  /// After StopMeasuring: what came of it.
  AttemptResult Finish(const platform::ExitStatus& status);

 private:
  struct State;
  explicit MeasuredProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::local
