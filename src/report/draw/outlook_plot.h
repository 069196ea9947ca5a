#pragma once
// Draws the known and expected intensity of a zone as one self-contained SVG file: the past as
// published, the forecast with its band from P10 to P90, the present moment, and the cleanest
// windows shaded.

#include <string>
#include <vector>

#include "core/signal/intensity.h"

namespace ebb::report {

struct OutlookPlot {
  core::SignalView view;
  Interval window;               ///< window to draw, which includes the past
  std::vector<Interval> marked;  ///< shaded windows, the cleanest first
  std::string title;             ///< zone, kind and source
};

std::string DrawOutlook(const OutlookPlot& plot);

}  // namespace ebb::report
