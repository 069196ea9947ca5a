#pragma once
// Writes out a sweep: every experiment with its settings, tier, estimates and command, as a file
// that `ebb sweep run` takes like the sweep file it came from (docs/sweep.md, "experiments"). Pure.

#include <string>

#include "sweep/sweep.h"

namespace ebb::sweep {

std::string LocalJobs(const Sweep& sweep);

}  // namespace ebb::sweep
