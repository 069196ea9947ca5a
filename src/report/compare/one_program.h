#pragma once
// Which runs are alike enough to be compared: those of one program. `runs/*` names all that was
// ever run, and that a training emits more than `sleep` tells nobody anything.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/run.h"

namespace ebb::report {

struct OneProgram {
  std::vector<core::RunRecord> runs;
  std::string notice;  ///< which runs are left out, and what has them compared; empty: none
};

/// The runs of the program of the group `baseline`, or, if that is empty, of the program with the
/// most groups to compare. A group whose runs are of several programs belongs to that of its first
/// run. All runs if there is no such group. Fails if no two groups are of one program, unless there
/// is only one program.
Result<OneProgram> OfOneProgram(std::vector<core::RunRecord> runs, const std::string& baseline);

}  // namespace ebb::report
