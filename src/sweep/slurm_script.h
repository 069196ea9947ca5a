#pragma once
// One sbatch script per experiment. Its comment has what `ebb slurm submit` and a service need to
// know; it may be requeued, and a restart goes on from its checkpoint. If ebb is in the PATH of the
// nodes, it measures the program (ebb slurm run). Arguments are quoted for the shell;
// no text of a parameter reaches an #SBATCH line unquoted. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/generated_file.h"
#include "sweep/sweep.h"

namespace ebb::sweep {

struct SlurmOptions {
  std::string partition;  ///< empty: the cluster's default
  std::string account;    ///< empty: the user's default
  std::string gres =
      "gpu";  ///< kind of generic resource per device; empty: no resource is asked for
  int cpus_per_task = 4;
  std::string memory;                       ///< "32G"; empty: the cluster's default
  Duration grace{std::chrono::minutes{2}};  ///< SIGTERM comes this long before the time limit
  std::optional<Time> submitted;            ///< if known, deadlines are absolute
};

/// Mistakes in the options, by key; empty if there is none.
std::vector<std::string> MistakesIn(const SlurmOptions& options);

std::string SlurmScript(const Sweep& sweep, const Experiment& experiment,
                        const SlurmOptions& options);
/// Makes "NAME.sbatch" for each experiment. An Error: two experiments would get the same name.
Result<std::vector<GeneratedFile>> SlurmFiles(const Sweep& sweep, const SlurmOptions& options);

}  // namespace ebb::sweep
