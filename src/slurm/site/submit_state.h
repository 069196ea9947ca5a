#pragma once
// The file that deploy/slurm/job_submit.lua reads when a job is submitted: which jobs have opted in
// without a comment, and how long they may wait. One "key value" in a line. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::slurm {

struct SubmitState {
  Time until{};      ///< after it, the file counts for nothing
  Duration delay{};  ///< latest start of jobs without a start-by, from their submission
  std::vector<std::string> partitions{}, accounts{}, qos{};
};

/// An Error: a name has blanks.
Result<std::string> SubmitStateText(const SubmitState& state);

}  // namespace ebb::slurm
