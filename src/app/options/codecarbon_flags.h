#pragma once
// Translates CodeCarbon's settings (config/codecarbon_settings.h) into Ebb's flags, so that a
// machine set up for CodeCarbon needs nothing new for `ebb track`. Every key is honoured, or named
// in a note with the reason; docs/codecarbon.md has the table.

#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/result.h"
#include "config/codecarbon_settings.h"

namespace ebb::app {

struct CodeCarbonFlags {
  FlagValues values;                   ///< flags of Ebb that were not given
  std::vector<std::string> notes;      ///< ignored keys and why; no values, for some are secrets
  std::string electricity_maps_token;  ///< secret: neither printed nor stored
  std::string experiment_name;         ///< names the file of tasks; Ebb has no such flag
};

/// `given` are the flags of the command line, which take precedence. The key "offline" means
/// --offline. A value that cannot be used is an Error that names its place.
Result<CodeCarbonFlags> FromCodeCarbon(const config::CodeCarbonSettings& settings,
                                       const FlagValues& given);

/// The sources of settings below the given flags.
struct CodeCarbonSources {
  config::CodeCarbonSettings given{};  ///< settings that override those of the machine
  /// Read CODECARBON_*, .codecarbon.config and, below them, the user's settings.
  bool machine = true;
  /// Use CodeCarbon's defaults where they change what is counted or written: the scope is the
  /// machine, and there is an emissions.csv. Only for programs that have changed nothing but an
  /// import.
  bool defaults = false;
};
/// Applies the flags, and CodeCarbon's settings below them. Returns the translated settings.
Result<CodeCarbonFlags> ApplyWithCodeCarbon(const FlagValues& given,
                                            const CodeCarbonSources& sources, RunOptions& options);

}  // namespace ebb::app
