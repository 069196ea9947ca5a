#pragma once
// A simulation for the terminal: the request, the table of policies, and published figures beside
// ours.

#include <string>

#include "report/simulation/simulation_table.h"

namespace ebb::report {

/// The text, with tables that fit into `columns` as far as possible.
std::string SimulationText(const sim::Experiment& experiment, std::size_t columns);

}  // namespace ebb::report
