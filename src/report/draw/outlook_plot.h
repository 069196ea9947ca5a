#pragma once
// What is known and expected of a zone's intensity, as one SVG file that needs nothing beside it:
// the past as published, the forecast with its band from P10 to P90, the present moment, and the
// cleanest windows shaded.

#include <string>
#include <vector>

#include "core/intensity.h"

namespace ebb::report {

struct OutlookPlot {
  core::SignalView view;
  Interval window;               ///< what is drawn, the past included
  std::vector<Interval> marked;  ///< the cleanest first
  std::string title;             ///< zone, kind and source
};

std::string DrawOutlook(const OutlookPlot& plot);

}  // namespace ebb::report
