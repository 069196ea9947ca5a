#pragma once
// Derives the outcome of an attempt from the end of its program. Private to local/.

#include <optional>
#include <string>

#include "core/run/run.h"
#include "engine/event.h"
#include "meter/sampler.h"
#include "platform/child_process.h"

namespace ebb::local {

/// The signal that ended the program, also if a shell reports it (exit code 143 for SIGTERM).
std::optional<int> SignalThatEnded(const platform::ExitStatus& status);
/// A text such as "ended by SIGTERM" or "exit code 3".
std::string HowItEnded(const platform::ExitStatus& status);

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status);
/// Phase of an attempt that could not be started, by the code of its Error: it has failed if the
/// command is at fault; anything else may work another time.
engine::JobPhase PhaseOfNotStarted(int code);
/// The attempt with wall time and utilisation as measured; the caller adds the grid interval.
core::Attempt EndedAttempt(int number, const platform::ExitStatus& status,
                           const meter::Utilisation& mean);

}  // namespace ebb::local
