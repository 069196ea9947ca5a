#pragma once
// The flags of runs (app/options/run_options.h) on a subcommand.

#include "app/options/run_options.h"
#include "cli/parser.h"

namespace ebb::cli {

/// Registers the flags of one group; given ones land in `values`.
void AddFlags(Command& command, app::FlagGroup group, app::FlagValues& values);

}  // namespace ebb::cli
