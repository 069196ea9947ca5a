#pragma once
// The port of a policy that looks at one job at a time: given what is known at one moment, start
// now, wait, or stop; keep running or pause where the job can be paused. Pure: the same view gives
// the same decision, no clock, no I/O, no memory between calls. One file per policy. Used by
// `ebb run` (runtime/gate_loop) and, through MakeGated, by the engine.

#include <memory>
#include <string_view>

#include "base/time.h"
#include "base/units.h"
#include "core/decision.h"
#include "core/intensity.h"
#include "core/tier.h"
#include "plan/intensity_integral.h"
#include "plan/policy.h"

namespace ebb::plan {

/// What to do when the latest start is reached and the policy still would rather wait.
enum class AtDeadline { kStart, kStop };

/// The part of a job that a gate needs to know. All times are grid times.
struct GateRequest {
  Time submitted{};
  Time latest_start{};   ///< or latest resumption; delays count from submission
  Duration remaining{};  ///< estimated length of what is left to run on the grid clock; > 0
  AtDeadline at_deadline = AtDeadline::kStart;
  core::OnOutage on_outage = core::OnOutage::kWait;

  JobState state = JobState::kWaiting;
  /// It may be paused now: it is checkpointable, or it can be frozen and nothing waits for its
  /// devices.
  bool pausable = false;
  Duration duration{};         ///< of the whole job, before anything had run; 0: remaining
  Duration pause_cost{};       ///< extra running time of one pause and resume
  Duration minimum_segment{};  ///< a piece between two pauses is at least this long
  Time segment_begin{};        ///< kRunning: since when
  int pauses = 0;
  int priority = 0;
  std::optional<Intensity> threshold = std::nullopt;  ///< the job's own
  std::string_view tier{};
};

/// The moment of a decision.
struct GateMoment {
  GateMoment(const core::SignalView& signal, Time next)
      : view(signal), next_change(next), ahead(signal, signal.now) {}

  const core::SignalView& view;  ///< view.now is the moment
  Time next_change{};            ///< when a new value is due: nothing can change before
  IntensityIntegral ahead;       ///< of the view from now on
};

class GatePolicy {
 public:
  virtual ~GatePolicy() = default;
  /// "now", "threshold", "window".
  virtual std::string_view name() const = 0;
  /// kStart, kWait or kStop; for a running job that can be paused kKeepRunning or kPause.
  virtual core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const = 0;
  /// The latest start that the policy itself sets, where it is earlier than the job's.
  virtual Time LatestStart(const GateRequest& request) const { return request.latest_start; }
  /// Among jobs that want to start and do not all fit: first submitted, first started.
  virtual Order OrderOf(const GateRequest& request) const { return {0, request.submitted}; }
};

std::unique_ptr<GatePolicy> MakeRunNow();

/// Runs at once, earliest latest start first: the baseline that knows deadlines and no carbon.
std::unique_ptr<GatePolicy> MakeEarliestDeadlineFirst();

struct ThresholdOptions {
  std::optional<Intensity> threshold;  ///< a job's own comes first
  /// Without a threshold: this share (0..1) of the values within `window` before and after now lies
  /// at or below the threshold that is used. A fixed threshold does not travel between years.
  double percentile = 0.3;
  Duration window{std::chrono::hours{24}};
  /// A running job that can be paused is paused above threshold + hysteresis only.
  Intensity hysteresis{25};
  std::optional<Duration> max_wait;  ///< from submission; the job's own latest start if earlier
};

/// Starts when intensity <= threshold (equality starts), else at the latest start. A percentile
/// needs history or a forecast, an absolute value neither; a forecast says when the start is
/// expected. A missing value waits. Seen in: Compute Gardener, NEO; the percentile in Ecovisor.
std::unique_ptr<GatePolicy> MakeThreshold(const ThresholdOptions& options);
std::unique_ptr<GatePolicy> MakeThreshold(Intensity threshold);

/// Starts at or below the job's threshold, else at its latest start. Order: compelled by the latest
/// start, then priority, then longest waiting. A job without a threshold starts at once. Jobs were
/// given what their tier says when they were read (core/tier.h); a tier in `tiers`, which may be
/// empty, takes its place: so a simulation compares sets of tiers.
std::unique_ptr<GatePolicy> MakeTiers(std::vector<core::Tier> tiers);

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

struct LowestSlotsOptions {
  Duration slot{
      std::chrono::minutes{15}};  ///< at most this long; the run is a whole number of them
  int slot_limit = 2000;          ///< longer slots where the horizon would need more
  double minimum_saving = 0.01;
};

/// Runs a job that can be paused in the cleanest slots before its deadline, each pause paid with
/// its overhead, no piece shorter than the minimum segment: exact for one job, by dynamic
/// programming. Others: as lowest window. Method: "Wait Awhile" with a switching cost.
std::unique_ptr<GatePolicy> MakeLowestSlots(const LowestSlotsOptions& options);

/// Starts where the saving per hour from submission to completion is highest: (mean at submission -
/// mean at s) / (s - submission + run time). Method: Carbon-Time (Hanafy et al., GAIA, ASPLOS
/// 2024).
std::unique_ptr<GatePolicy> MakeCarbonTime();

struct DtprOptions {
  /// Bounds of the signal; without them the least and the greatest of the known values.
  std::optional<Intensity> lower, upper;
  Duration unit{std::chrono::hours{1}};  ///< of purchase: how often the signal changes
};

/// Needs no forecast, only bounds, and is competitive whatever the signal does within them: starts
/// at or below one threshold, keeps running up to a higher one; both fall with the work that is
/// left. Method: double threshold pause and resume (Lechowicz et al., arXiv 2303.17551).
std::unique_ptr<GatePolicy> MakeDtpr(const DtprOptions& options);

/// The cleanest window of a given length, for `ebb grid` and the policy above.
struct Window {
  Time start{};
  Intensity mean;
};
/// Lowest mean over windows of `length` starting in [earliest, latest], fully covered by the view;
/// earliest among equals. Nothing when no window is fully covered.
std::optional<Window> CleanestWindow(const core::SignalView& view, Interval starts,
                                     Duration length);
std::optional<Window> CleanestWindow(const IntensityIntegral& ahead, Interval starts,
                                     Duration length);
/// The `count` cleanest windows that do not overlap, cleanest first: each is the cleanest that the
/// ones before it leave room for. Fewer where there is no more room.
std::vector<Window> CleanestWindows(const core::SignalView& view, Interval starts, Duration length,
                                    int count);

}  // namespace ebb::plan
