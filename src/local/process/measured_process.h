#pragma once
// A running program that is measured from its first instruction to its last: its energy is sampled,
// accounted and handed on, while the caller waits for the program. Users: RunAttempt (one program,
// measured_attempt.h) and the local executor (several).
//
// Thread contract: one thread; the sampler's own thread only fills a queue. All callbacks come on
// the caller's thread.

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run/run.h"
#include "local/power/power_control.h"
#include "local/readings/program_meter.h"
#include "platform/child_process.h"
#include "runtime/accountant.h"
#include "runtime/budget_watch.h"

namespace ebb::local {

struct AttemptOptions {
  platform::ChildOptions child;  ///< without words: no program is started (MonitorMachine)
  /// If no program is started: a running process whose tree is measured, e.g. this one; 0: none.
  pid_t running_root = 0;
  int number = 1;
  Pue pue;
  meter::SamplerOptions sampler;  ///< options for a program with meters of its own
  /// Longest time between calls of OnTick.
  Duration tick{1000};
  /// A signal of the other kind, accounted beside the one that decided; must outlive the process.
  runtime::SignalFeed* other_feed = nullptr;
  /// Budget; empty: no limit. Number, PUE and sample interval of its terms are those above.
  std::optional<runtime::BudgetWatch::Terms> budget{};
  /// Power limit of the program's GPUs; absent: it is left alone.
  std::optional<PowerTerms> power{};
  /// The run's directory, EBB_RUN_DIR of the program; needed with `power`. Empty: there is none.
  std::filesystem::path directory{};
  /// Time that the program may take after a request to stop (Ctrl-C) was passed on until it gets
  /// SIGTERM, and once more until it is killed. Absent: no limit.
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
  /// Called when the program has been started.
  virtual Status OnBegin(const core::Attempt& attempt) = 0;
  /// Takes rows to keep. After an Error they are offered again with the next rows and once more at
  /// the end.
  virtual Status OnRows(std::span<const core::LedgerRow> rows) = 0;
  /// Called at least every tick. Returns true to close the current sample now, e.g. at the end of
  /// an epoch.
  virtual bool OnTick(const LiveFigures& figures) = 0;
  /// Called when a budget was crossed; its consequences have been carried out already.
  virtual void OnBudget(const core::BudgetEvent&) {}
};

struct AttemptResult {
  core::Attempt attempt;
  std::vector<std::string> warnings;  ///< about data that could not be measured or kept
  bool asked_to_pause = false;        ///< by ChildOptions::pause_signal
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
  /// Control group of the program; null: none.
  const meter::Cgroup* cgroup() const;
  /// Takes the readings since the last call and hands them on.
  void Tick();
  LiveFigures figures() const;
  /// Use of everything that was taken in, as a budget counts it.
  core::BudgetUse use() const;
  /// Takes the last sample. Call it once the program has ended; if the program is one of several,
  /// before its end is taken (meter::ProgramToMeter).
  void StopMeasuring();
  /// Result of the attempt; call it after StopMeasuring.
  AttemptResult Finish(const platform::ExitStatus& status);

 private:
  struct State;
  explicit MeasuredProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::local
