#pragma once
// Adds the flags of runs (app/options/run_options.h) to a subcommand.

#include <set>
#include <string>

#include "app/options/run_options.h"
#include "cli/parser.h"

namespace ebb::cli {

/// Registers the flags of one group. The values of given flags go into `values`. `only` limits them
/// to some of the group.
void AddFlags(Command& command, app::FlagGroup group, app::FlagValues& values,
              const std::set<std::string>& only = {});

}  // namespace ebb::cli
