#pragma once
// CarbonScaler (Hanafy, Liang, Bashir, Irwin, Shenoy 2023, arXiv 2302.08681): the greedy that gives
// an elastic job its widths. Every further device in every step of time is an item: the work that
// it adds, and the carbon that it costs. The items with the most work for their carbon are taken
// until the work is done. That is the best schedule of one job if every further device adds no more
// than the one before and changes of width cost nothing. The policy plans one elastic job at a
// time, in the order of submission, on the devices that the elastic jobs before it and other
// running jobs leave free; other jobs run at once. An elastic job that cannot end in time runs as
// wide as it can. The policy is there for comparison: the planner weighs all jobs together, and
// what changes cost.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/jobs/job.h"
#include "plan/policy.h"

namespace ebb::plan {

/// A step of time in which the job may run.
struct ScalerStep {
  Interval time;
  double price = 0;  ///< price of a kilowatt-hour
  int free = 0;      ///< free devices
};

/// A stretch of running at one width.
struct ScalerPiece {
  Interval time;
  int devices = 0;
  friend bool operator==(const ScalerPiece&, const ScalerPiece&) = default;
};

/// The pieces in which a job does `work`, which is a duration at speed 1, in order; nullopt if the
/// steps have no room for it. `widths` are ascending, with their speeds. The steps do not overlap
/// and are in order. The job begins in a step that begins by `begin_by`.
std::optional<std::vector<ScalerPiece>> ScaleByCarbon(std::span<const ScalerStep> steps,
                                                      const std::vector<core::WidthSpeed>& widths,
                                                      Duration work, Time begin_by = Time::max());

/// `horizon`: an elastic job without a deadline ends within this time of its submission, and its
/// run time.
std::unique_ptr<Policy> MakeCarbonScaler(Duration horizon);

}  // namespace ebb::plan
