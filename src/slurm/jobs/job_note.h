#pragma once
// Leaves on a job for people what it has used: in its comment, behind the owner's part and Ebb's
// mark, and in its AdminComment, where whoever runs this may write that and nobody else has.

#include <string>

#include "slurm/client/slurm_commands.h"

namespace ebb::slurm {

/// `used` begins with "used ".
Status NoteInJob(const RunCommand& run, const std::string& job, const std::string& used);

}  // namespace ebb::slurm
