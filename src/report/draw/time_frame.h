#pragma once
// The frame that plots over grid time share: hours from left to right, intensity upwards, lanes
// below. A page has several such plots; in all plots of one window a moment has the same x
// position.

#include <string>

#include "base/time.h"
#include "core/signal/intensity.h"

namespace ebb::report {

struct TimeFrame {
  static constexpr double kWidth = 1000, kLeft = 170, kRight = 22, kTop = 26;
  static constexpr double kTimeHeight = 44;  ///< below the lanes: clock and date

  Interval window;
  double highest = 1;  ///< g/kWh at the upper edge
  double curve_height = 240;

  double X(Time time) const;
  double Y(double g_per_kwh) const { return kTop + curve_height * (1 - g_per_kwh / highest); }
};

/// The upper edge of the intensity axis for the highest value in the window, in g/kWh.
double HighestOf(const core::IntensitySeries& series, Interval window);

/// Grid lines and labels; the lanes end at `bottom`.
std::string DrawTimeAxis(const TimeFrame& frame, double bottom);
std::string DrawValueAxis(const TimeFrame& frame);
/// A filled step curve; values that were not measured are dashed, gaps stay empty.
std::string DrawCurve(const TimeFrame& frame, const core::IntensitySeries& signal);
/// The end of a long name, as far as it fits left of the plot: similar names differ at the end.
std::string ShortLaneName(const std::string& name);

}  // namespace ebb::report
