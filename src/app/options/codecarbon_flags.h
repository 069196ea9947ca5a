#pragma once
// What CodeCarbon's settings (config/codecarbon_settings.h) mean in Ebb's flags, so that a machine
// set up for CodeCarbon needs nothing new for `ebb track`. Every key is honoured, or named in a
// note with the reason; docs/codecarbon.md has the table.

#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/result.h"
#include "config/codecarbon_settings.h"

namespace ebb::app {

struct CodeCarbonFlags {
  FlagValues values;                   ///< those of ours that were not given
  std::vector<std::string> notes;      ///< what is ignored and why; no values, for some are secrets
  std::string electricity_maps_token;  ///< secret: neither printed nor stored
  std::string experiment_name;         ///< names the file of tasks; no flag of ours
};

/// `given` are the flags of the command line, which win. The key "offline" stands for --offline.
/// Values that cannot be used are an Error that names where they stand.
Result<CodeCarbonFlags> FromCodeCarbon(const config::CodeCarbonSettings& settings,
                                       const FlagValues& given);

/// Where settings come from beside the flags that were given.
struct CodeCarbonSources {
  config::CodeCarbonSettings given{};  ///< win over what the machine says
  /// CODECARBON_*, .codecarbon.config and, below them, the user's settings are read.
  bool machine = true;
  /// What nothing says is as in CodeCarbon where that changes what is counted or written: the scope
  /// is the machine, and there is an emissions.csv. For programs that have changed an import only.
  bool defaults = false;
};
/// Applies flags, and below them what CodeCarbon's settings mean. Returns the latter.
Result<CodeCarbonFlags> ApplyWithCodeCarbon(const FlagValues& given,
                                            const CodeCarbonSources& sources, RunOptions& options);

}  // namespace ebb::app
