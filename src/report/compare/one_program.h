#pragma once
// Chooses runs that are alike enough to be compared: those of one program. `runs/*` names all runs,
// and it means nothing that a training emits more than `sleep`.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/run/run.h"

namespace ebb::report {

struct OneProgram {
  std::vector<core::RunRecord> runs;
  std::string notice;  ///< which runs are left out, and how to compare them; empty if none
};

/// The runs of the program of the group `baseline`. If `baseline` is empty, the runs of the program
/// with the most groups to compare. A group with runs of several programs belongs to the program of
/// its first run. Returns all runs if there is no such group. Fails if no two groups are of one
/// program, unless there is only one program.
Result<OneProgram> OfOneProgram(std::vector<core::RunRecord> runs, const std::string& baseline);

}  // namespace ebb::report
