#pragma once
// Every energy and emissions figure of a run with its sources and its uncertainty
// (core/run/uncertainty.h). Words are strict: "measured" means that a sensor read it for a whole
// device, "estimated" is everything else, and emissions are always estimated.

#include <string>
#include <vector>

#include "core/run/uncertainty.h"
#include "report/run/summary.h"

namespace ebb::report {

struct Figure {
  std::string name;                  ///< "energy_j", "emissions_g", "saving_g" ...
  double value = 0;                  ///< value in the unit at the end of the name
  core::Band band;                   ///< 95 % interval; that of a saving may reach below 0
  std::string basis;                 ///< "measured", "partly measured", "estimated"
  std::vector<std::string> sources;  ///< "cpu: counter, shared by use", "intensity: measured"
};

/// The figures that have a value.
std::vector<Figure> FiguresOf(const core::RunRecord& run, const Summary& summary);

/// "cpu: counter, shared by use"
std::string EnergyWayText(core::EnergyWay way);
/// "measured", "partly measured" or "estimated".
std::string EnergyBasis(const Summary& summary);
/// "± 36 %"
std::string ShareText(double share);

}  // namespace ebb::report
