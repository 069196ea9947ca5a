#pragma once
// Every figure of energy and emissions of a run with where it came from and how sure it is
// (core/uncertainty.h). The words are strict: "measured" is what a sensor read for a whole device,
// "estimated" is everything else, and emissions always are.

#include <string>
#include <vector>

#include "core/uncertainty.h"
#include "report/run/summary.h"

namespace ebb::report {

struct Figure {
  std::string name;                  ///< "energy_j", "emissions_g", "saving_g" ...
  double value = 0;                  ///< in the unit that ends the name
  core::Band band;                   ///< 95 %; a saving's may reach below 0
  std::string basis;                 ///< "measured", "partly measured", "estimated"
  std::vector<std::string> sources;  ///< "cpu: counter, shared by use", "intensity: measured"
};

/// Those that have a value.
std::vector<Figure> FiguresOf(const core::RunRecord& run, const Summary& summary);

/// "measured", "partly measured" or "estimated".
std::string EnergyBasis(const Summary& summary);
/// "± 36 %"
std::string ShareText(double share);

}  // namespace ebb::report
