#pragma once
// What the end of a program says about its attempt. Private to local/.

#include <optional>
#include <string>

#include "core/run.h"
#include "engine/event.h"
#include "meter/sampler.h"
#include "platform/child_process.h"

namespace ebb::local {

/// Also where a shell says so in its place (exit code 143 for SIGTERM).
std::optional<int> SignalThatEnded(const platform::ExitStatus& status);
/// "ended by SIGTERM", "exit code 3"
std::string HowItEnded(const platform::ExitStatus& status);

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status);
/// Of an attempt that could not be started, by the code of its Error: what is the fault of the
/// command has failed, anything else may work another time.
engine::JobPhase PhaseOfNotStarted(int code);
/// Wall time and utilisation as measured over the attempt; the grid interval is left to the caller.
core::Attempt EndedAttempt(int number, const platform::ExitStatus& status,
                           const meter::Utilisation& mean);

}  // namespace ebb::local
