#pragma once
// What people call a command by: of an interpreter or a launcher the script that it runs, since
// "python3" is the name of half of all trainings.

#include <span>
#include <string>

namespace ebb::core {

struct Script {
  std::string name;       ///< "train.py", "pkg.mod"; otherwise the program's file name
  std::string code_flag;  ///< "-c" if the code itself is an argument of the program `name`

  /// "train.py", "python3 -c".
  std::string Label() const { return code_flag.empty() ? name : name + " " + code_flag; }
};

/// Of `python3 -u train.py`, `torchrun --nproc-per-node 2 train.py` and `mpirun -n 4 python
/// train.py` it is train.py, of `python -m pkg.mod` it is pkg.mod. Empty for an empty command.
Script ScriptOf(std::span<const std::string> command);

}  // namespace ebb::core
