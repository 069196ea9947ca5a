#pragma once
// A simulation as JSON (schema ebb.simulation/1, docs/simulate.md): every figure in fixed units.

#include <string>

#include "sim/experiment.h"

namespace ebb::report {

std::string SimulationJson(const sim::Experiment& experiment);

}  // namespace ebb::report
