#pragma once
// A simulation as one self-contained HTML page: the table of policies, published figures beside
// ours, and for the first start date a Gantt chart per policy over the intensity that was true and
// the forecast that the plan began with.

#include <string>

#include "sim/experiment.h"

namespace ebb::report {

std::string SimulationPage(const sim::Experiment& experiment);

}  // namespace ebb::report
