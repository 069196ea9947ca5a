#pragma once
// The port of a start policy: given what is known at one moment, start now, wait, or stop. Pure:
// the same view gives the same decision, no clock, no I/O, no memory between calls. One file per
// policy.

#include <memory>
#include <string_view>

#include "base/time.h"
#include "base/units.h"
#include "core/decision.h"
#include "core/intensity.h"

namespace ebb::plan {

/// What to do when the latest start is reached and the policy still would rather wait.
enum class AtDeadline { kStart, kStop };

/// The part of a job that a gate needs to know. All times are grid times.
struct GateRequest {
  Time submitted{};
  Time start_by{};      ///< latest start; delays count from submission
  Duration run_time{};  ///< estimated length of the run on the grid clock; > 0
  AtDeadline at_deadline = AtDeadline::kStart;
};

/// The moment of a decision.
struct GateMoment {
  const core::SignalView& view;  ///< view.now is the moment
  Time next_change{};            ///< when a new value is due: nothing can change before
};

class GatePolicy {
 public:
  virtual ~GatePolicy() = default;
  /// "now", "threshold", "window".
  virtual std::string_view name() const = 0;
  virtual core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const = 0;
};

std::unique_ptr<GatePolicy> MakeRunNow();

/// Starts when intensity <= threshold (equality starts), else at the latest start. Needs no
/// forecast; one is used only to say when the start is expected. A missing value waits. Seen in:
/// Compute Gardener, NEO.
std::unique_ptr<GatePolicy> MakeThreshold(Intensity threshold);

struct LowestWindowOptions {
  /// Waits only if the expected mean intensity is lower by at least this share of the mean when
  /// starting now.
  double minimum_saving = 0.01;
};

/// Starts at the moment from which the mean intensity over the estimated run time is expected to be
/// lowest before the latest start; planned again whenever the signal changes. A low value now does
/// not start a run whose length reaches into a rising ramp. Method: "lowest window" (Wiesner et
/// al., Let's Wait Awhile, Middleware 2021), with the candidates in continuous time: the mean as a
/// function of the start is piecewise linear, so its minimum lies where the window's begin or end
/// meets a sample boundary. Ties go to the earlier start.
std::unique_ptr<GatePolicy> MakeLowestWindow(const LowestWindowOptions& options);

/// The cleanest window of a given length, for `ebb grid` and the policy above.
struct Window {
  Time start{};
  Intensity mean;
};
/// Lowest mean over windows of `length` starting in [earliest, latest], fully covered by the view;
/// earliest among equals. Nothing when no window is fully covered.
std::optional<Window> CleanestWindow(const core::SignalView& view, Interval starts,
                                     Duration length);

}  // namespace ebb::plan
