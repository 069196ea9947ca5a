#pragma once
// The name by which people call a command. For an interpreter or a launcher it is the script that
// it runs, because "python3" names half of all trainings.

#include <span>
#include <string>

namespace ebb::core {

struct Script {
  std::string name;       ///< "train.py", "pkg.mod"; otherwise the name of the program's file
  std::string code_flag;  ///< "-c" if the code itself is an argument of the program `name`

  /// The name with its flag: "train.py", "python3 -c".
  std::string Label() const { return code_flag.empty() ? name : name + " " + code_flag; }
};

/// Finds train.py in `python3 -u train.py`, `torchrun --nproc-per-node 2 train.py` and `mpirun -n 4
/// python train.py`, and pkg.mod in `python -m pkg.mod`. Empty for an empty command.
Script ScriptOf(std::span<const std::string> command);

}  // namespace ebb::core
