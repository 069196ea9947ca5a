#pragma once
// The options in a batch script: its #SBATCH lines, and its #EBB lines beside them. As sbatch does,
// this reads up to the first line that is neither blank nor a comment. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace ebb::slurm {

/// An option in an #EBB line: "--tier 2", "--tier=2" or "--checkpointable".
struct EbbOption {
  std::string name;   ///< without dashes
  std::string value;  ///< empty: none
  bool has_value = false;
  int line = 0;  ///< line of the script, from 1
};

struct BatchScript {
  /// Words of the #SBATCH lines, of a heterogeneous job those of its first component.
  std::vector<std::string> sbatch;
  std::vector<EbbOption> ebb;
  std::vector<std::string>
      problems;  ///< words in #EBB lines that are not options, one sentence each
};

BatchScript ReadBatchScript(std::string_view text);

}  // namespace ebb::slurm
