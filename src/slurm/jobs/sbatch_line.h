#pragma once
// The command line of sbatch: its options, the script, and the script's arguments. Options that are
// not known here count as options with a value, because nearly all of sbatch's options have one.
// Checked with Slurm 22.05 and the manual of 25.05. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

struct SbatchLine {
  std::vector<std::string> options;  ///< as they were given, in order; ":" separates the components
                                     ///< of a heterogeneous job
  std::string script;                ///< empty: standard input, or --wrap
  std::vector<std::string> arguments;
};

/// True for an option whose value is the next word: "-n" and "--time", but not "-n4", "--time=1:00"
/// or "--hold".
bool TakesNextWord(const std::string& option);

SbatchLine ReadSbatchLine(std::span<const std::string> words);

/// The name of an option of sbatch: its long name without dashes, and its letter or '\0'.
struct SbatchOption {
  std::string_view name;
  char letter = '\0';
};

/// The value of the last such option in a list of options and their values; "" if it stands there
/// without a value, nullopt if it is missing.
std::optional<std::string> ValueOf(std::span<const std::string> options,
                                   const SbatchOption& option);

/// The options without this one and its value.
std::vector<std::string> Without(std::span<const std::string> options, const SbatchOption& option);

/// The amount of work for which the options ask.
struct SbatchRequest {
  int gpus = 0;   ///< all GPUs together
  int cores = 1;  ///< all cores together
  int nodes = 1, tasks = 1;
  GpusBy gpus_by = GpusBy::kNone;
};
/// The request by the usual options for nodes, tasks and GPUs.
SbatchRequest RequestOf(std::span<const std::string> options);

}  // namespace ebb::slurm
