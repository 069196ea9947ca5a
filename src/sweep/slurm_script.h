#pragma once
// One sbatch script per experiment. The job is submitted held and waits for whoever releases it;
// it may be requeued, and a restart goes on from its checkpoint. Arguments are quoted for the
// shell; nothing of a parameter reaches an #SBATCH line unquoted. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/generated_file.h"
#include "sweep/sweep.h"

namespace ebb::sweep {

struct SlurmOptions {
  std::string partition;     ///< empty: the cluster's default
  std::string account;       ///< empty: the user's default
  std::string gres = "gpu";  ///< kind of generic resource per device; empty: none
  int cpus_per_task = 4;
  std::string memory;                       ///< "32G"; empty: the cluster's default
  Duration grace{std::chrono::minutes{2}};  ///< SIGTERM comes this long before the time limit
  std::optional<Time> submitted;            ///< known: deadlines are absolute
};

/// What is wrong with the options, by key; empty: nothing.
std::vector<std::string> MistakesIn(const SlurmOptions& options);

std::string SlurmScript(const Sweep& sweep, const Experiment& experiment,
                        const SlurmOptions& options);
/// "NAME.sbatch" for each experiment. An Error: two names would be one.
Result<std::vector<GeneratedFile>> SlurmFiles(const Sweep& sweep, const SlurmOptions& options);

}  // namespace ebb::sweep
