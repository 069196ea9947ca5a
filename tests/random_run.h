#pragma once
// Random run directories as Ebb writes them, for tests of their readers: policies that wait,
// pauses, kills, several devices, gaps and revisions of the signal, a second signal, prices,
// budgets, trainings.

#include <filesystem>

#include "base/random.h"
#include "base/result.h"
#include "core/run/run.h"

namespace ebb {

struct RandomRunOptions {
  int most_rows = 400;  ///< approximate limit
};

/// Writes a run that never happened, with its decisions, readings, summaries and seal. The
/// directory must not hold a run.
Status WriteRandomRun(const std::filesystem::path& directory, Random& random,
                      const RandomRunOptions& options = {});

/// Writes the summaries and the seal, as at the end of a run.
Status SumUpRun(const std::filesystem::path& directory, Time now);

}  // namespace ebb
