#pragma once
// The command line of srun: where its options end and the program begins. Checked with Slurm 22.05
// and the manual of 25.05. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace ebb::slurm {

/// The index of the program's word. nullopt: there is no single program (--multi-prog, several
/// components of a heterogeneous step, --version).
std::optional<std::size_t> ProgramInSrun(std::span<const std::string> words);

}  // namespace ebb::slurm
