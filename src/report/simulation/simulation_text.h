#pragma once
// A simulation for the terminal: what was asked, the table of policies, and published figures
// beside ours.

#include <string>

#include "report/simulation/simulation_table.h"

namespace ebb::report {

/// Its tables in so many columns, as far as that can be had.
std::string SimulationText(const sim::Experiment& experiment, std::size_t columns);

}  // namespace ebb::report
