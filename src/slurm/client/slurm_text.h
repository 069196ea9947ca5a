#pragma once
// Reads what Slurm's commands print: squeue and sinfo with columns of fixed width, sacct with
// separators. Columns of fixed width cannot be shifted by what users write into names and comments.
// Checked with Slurm 22.05 and 24.11. Pure.
//
// Times are seconds since 1970 (SLURM_TIME_FORMAT=%s).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

/// The longest comment that is read back, in bytes.
inline constexpr std::size_t kLongestComment = 600;

/// The arguments of squeue and sinfo, and the readers of their output. A line that cannot be read
/// is left out.
std::vector<std::string> SqueueCommand();
/// Asks for the pending jobs of one user.
std::vector<std::string> PendingCommand(const std::string& user);
std::vector<SlurmJob> ReadSqueue(std::string_view text);
std::vector<std::string> SinfoCommand();
std::vector<SlurmNode> ReadSinfo(std::string_view text);
/// The last attempt of each of these jobs.
std::vector<std::string> SacctCommand(const std::vector<std::string>& ids);
std::vector<SlurmJob> ReadSacct(std::string_view text);

/// Reads what sdiag prints. An Error: the text is not sdiag's.
Result<ControllerLoad> ReadSdiag(std::string_view text);

/// Reads a state with its flags and remarks: "RUNNING", "CANCELLED by 1000", "COMPLETING".
JobState StateOf(std::string_view text);

/// GPUs in a list of requested resources: "gres:gpu:a100:2", "gres/gpu:1,license:x".
struct GpuRequest {
  int count = 0;
  std::string type;
};
GpuRequest ReadGpus(std::string_view text);
/// Sets a job's GPUs, which can be asked for by job, by node or by task. Its nodes must be set.
void SetGpus(std::string_view by_job, std::string_view by_node, std::string_view by_task, int tasks,
             SlurmJob& job);

/// The exit code of a status of wait(2), in which squeue and slurmrestd report it.
int ExitCodeOf(int status);

/// Reads a time limit in all of Slurm's forms: minutes ("90"), "minutes:seconds",
/// "hours:minutes:seconds", "days-hours", "days-hours:minutes" and "days-hours:minutes:seconds".
/// nullopt: none ("0", "UNLIMITED"), or not a time limit.
std::optional<Duration> ReadTimeLimit(std::string_view text);

}  // namespace ebb::slurm
