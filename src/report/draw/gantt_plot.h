#pragma once
// Draws which job ran where and when: one lane per device over grid time, below the true intensity
// and the forecast that the plan was made with. A pause is a dashed link between two pieces of one
// job.

#include <string>
#include <vector>

#include "base/time.h"
#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"
#include "sim/accounting.h"

namespace ebb::report {

/// A piece of a job on one device.
struct GanttBar {
  Interval time;
  std::size_t job = 0;  ///< index into GanttPlot::jobs
  int lane = 0;
};
struct GanttJob {
  std::string name, title;
  int color = 0;
};
struct GanttPlot {
  Interval window;
  const core::IntensitySeries* truth = nullptr;
  const core::IntensitySeries* forecast = nullptr;
  std::vector<std::string> lanes;
  std::vector<GanttJob> jobs;
  std::vector<GanttBar> bars;
  std::string description;
};

inline constexpr std::size_t kMostGanttLanes = 32;

/// Lanes for devices. Each start takes the free devices with the lowest numbers.
struct DeviceLanes {
  std::vector<std::string> names;
  std::vector<int> pools;  ///< pool of each lane's device
};
DeviceLanes LanesOf(const core::Cluster& cluster);
/// The lanes that each segment of each job takes. Segments of one pool never need more devices than
/// it has.
std::vector<GanttBar> PlaceBars(const core::Cluster& cluster, const std::vector<core::Job>& jobs,
                                const std::vector<std::vector<plan::Segment>>& segments);

std::string DrawGantt(const GanttPlot& plot);

}  // namespace ebb::report
