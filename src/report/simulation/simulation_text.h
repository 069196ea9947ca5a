#pragma once
// A simulation for the terminal: what was asked, the table of policies, and published figures
// beside ours.

#include <string>

#include "report/simulation/simulation_table.h"

namespace ebb::report {

std::string SimulationText(const sim::Experiment& experiment);

}  // namespace ebb::report
