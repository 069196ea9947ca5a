#pragma once
// One start of a program on this machine, measured from its first instruction to its last: starts
// it, forwards signals, samples its energy, accounts it, and reports how it ended.
//
// Thread contract: Run blocks its caller; the sampler's thread only fills a queue. All callbacks
// come on the caller's thread.

#include <memory>
#include <vector>

#include "local/process/measured_process.h"

namespace ebb::local {

/// Runs the program to its end. An Error means that it never started (127, 126) or that OnBegin
/// refused.
Result<AttemptResult> RunAttempt(const AttemptOptions& options,
                                 std::vector<std::unique_ptr<meter::Meter>> meters,
                                 runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                 platform::ProcessSignals& signals, AttemptObserver& observer);

/// Measures the machine, starting nothing, until this process is asked to stop (Ctrl-C, SIGTERM,
/// SIGHUP); that is its regular end. The sampler's scope must be the machine.
Result<AttemptResult> MonitorMachine(const AttemptOptions& options,
                                     std::vector<std::unique_ptr<meter::Meter>> meters,
                                     runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                     platform::ProcessSignals& signals, AttemptObserver& observer);

}  // namespace ebb::local
