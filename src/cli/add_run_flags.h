#pragma once
// The flags of runs (app/options/run_options.h) on a subcommand.

#include <set>
#include <string>

#include "app/options/run_options.h"
#include "cli/parser.h"

namespace ebb::cli {

/// Registers the flags of one group; given ones land in `values`. `only`: not all of them.
void AddFlags(Command& command, app::FlagGroup group, app::FlagValues& values,
              const std::set<std::string>& only = {});

}  // namespace ebb::cli
