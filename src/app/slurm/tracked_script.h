#pragma once
// Puts Ebb's measurement into a user's batch script: `ebb slurm submit --track`. Slurm gets a
// script that contains the user's own and runs it under `ebb slurm run`. In a script that calls
// srun, each task that srun starts runs under it instead, so that all nodes are measured. Pure.

#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::app {

struct TrackedScript {
  std::string text;                    ///< the user's script
  std::string name;                    ///< its name, for people
  std::string program;                 ///< path of ebb on the nodes
  std::vector<std::string> options{};  ///< options of `ebb slurm run`
};

/// True if the script calls srun outside of comments.
bool CallsSrun(const std::string& script);

/// The script for sbatch, with the #SBATCH lines of the user's. An Error: the script names no
/// interpreter in its first line, as sbatch wants it.
Result<std::string> MakeTrackedScript(const TrackedScript& script);

/// The words of an srun whose program is measured; the words as they are if srun starts no single
/// program, or Ebb measures it already.
std::vector<std::string> TrackedSrun(std::vector<std::string> words, const std::string& program,
                                     const std::vector<std::string>& options);

}  // namespace ebb::app
