#pragma once
// One start of a program on this machine, measured from its first instruction to its last: starts
// it, forwards signals, samples its energy, accounts it, and reports how it ended.
//
// Thread contract: Run blocks its caller; the sampler's thread only fills a queue. All callbacks
// come on the caller's thread.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run.h"
#include "meter/sampler.h"
#include "platform/child_process.h"
#include "runtime/accountant.h"

namespace ebb::local {

struct AttemptOptions {
  platform::ChildOptions child;
  int number = 1;
  Pue pue;
  meter::SamplerOptions sampler;
  /// How often OnTick is called at the latest.
  Duration tick{1000};
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
};

struct AttemptResult {
  core::Attempt attempt;
  std::vector<std::string> warnings;  ///< what could not be measured or kept
};

/// Runs the program to its end. An Error means that it never started (127, 126) or that OnBegin
/// refused.
Result<AttemptResult> RunAttempt(const AttemptOptions& options,
                                 std::vector<std::unique_ptr<meter::Meter>> meters,
                                 runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                 platform::ProcessSignals& signals, AttemptObserver& observer);

}  // namespace ebb::local
