#pragma once
// What the end of a program says about its attempt. Private to local/.

#include "core/run.h"
#include "meter/sampler.h"
#include "platform/child_process.h"

namespace ebb::local {

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status);
/// Wall time and utilisation as measured over the attempt; the grid interval is left to the caller.
core::Attempt EndedAttempt(int number, const platform::ExitStatus& status,
                           const meter::Utilisation& mean);

}  // namespace ebb::local
