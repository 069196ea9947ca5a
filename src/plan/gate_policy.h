#pragma once
// The port of a policy that looks at one job at a time. Given everything known at one moment, it
// decides: start now, wait, or stop; keep running or pause if the job can be paused. Pure: the same
// view gives the same decision, no clock, no I/O, no memory between calls. One file per policy.
// Used by `ebb run` (runtime/gate_loop) and, through MakeGated, by the engine.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/jobs/decision.h"
#include "core/jobs/tier.h"
#include "core/signal/intensity.h"
#include "plan/intensity_integral.h"
#include "plan/policy.h"

namespace ebb::plan {

/// The policies that `ebb run` has; make_policy.h tells the rest of them.
enum class GatePolicyKind { kNow, kThreshold, kWindow, kCarbonTime, kDtpr };

/// The action at the latest start if the policy would still rather wait.
enum class AtDeadline { kStart, kStop };
std::string_view Name(AtDeadline at_deadline);
std::optional<AtDeadline> AtDeadlineFromName(std::string_view name);
std::vector<std::string> AtDeadlineNames();

/// The properties of a job that a gate needs. All times are grid times.
struct GateRequest {
  Time submitted{};
  Time latest_start{};   ///< latest start or resumption; delays count from submission
  Duration remaining{};  ///< estimated remaining run time on the grid clock; > 0
  AtDeadline at_deadline = AtDeadline::kStart;
  core::OnOutage on_outage = core::OnOutage::kWait;

  JobState state = JobState::kWaiting;
  /// True if the job may be paused now: it is checkpointable, or it can be frozen and no other job
  /// waits for its devices.
  bool pausable = false;
  Duration duration{};         ///< run time of the whole job before it ran; 0: same as remaining
  Duration pause_cost{};       ///< extra running time of one pause and resume
  Duration minimum_segment{};  ///< shortest piece between two pauses
  Time segment_begin{};        ///< kRunning: begin of the running piece
  int pauses = 0;
  int priority = 0;
  std::optional<Intensity> threshold = std::nullopt;  ///< the job's own threshold
  std::string_view tier{};
};

struct GateMoment {
  GateMoment(const core::SignalView& signal, Time next)
      : view(signal), next_change(next), ahead(signal, signal.now) {}

  const core::SignalView& view;  ///< the present and forecast signal; view.now is the moment
  Time next_change{};            ///< when a new value is due: before it nothing can change
  IntensityIntegral ahead;       ///< running integral of the view from now on
};

class GatePolicy {
 public:
  virtual ~GatePolicy() = default;
  /// Name such as "now", "threshold", "window".
  virtual std::string_view name() const = 0;
  /// Decides kStart, kWait or kStop; for a running job that can be paused, kKeepRunning or kPause.
  virtual core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const = 0;
  /// The latest start that the policy itself sets, if it is earlier than the job's.
  virtual Time LatestStart(const GateRequest& request) const { return request.latest_start; }
  /// The order among jobs that want to start and do not all fit: first submitted, first started.
  virtual Order OrderOf(const GateRequest& request) const { return {0, request.submitted}; }
};

std::unique_ptr<GatePolicy> MakeRunNow();

/// Runs at once, earliest latest start first: the baseline that knows deadlines but no carbon.
std::unique_ptr<GatePolicy> MakeEarliestDeadlineFirst();

struct ThresholdOptions {
  std::optional<Intensity> threshold;  ///< threshold of all jobs; a job's own threshold overrides
                                       ///< it
  /// Used without a threshold: the threshold is the value at or below which this share (0..1) of
  /// the values within `window` before and after now lies. A fixed threshold does not carry over
  /// from one year to another.
  double percentile = 0.3;
  Duration window{std::chrono::hours{24}};
  /// A running job that can be paused is paused only above threshold + hysteresis.
  Intensity hysteresis{25};
  std::optional<Duration> max_wait;  ///< longest wait from submission; the job's own latest start
                                     ///< if that is earlier
};

/// Starts when intensity <= threshold (equality starts), else at the latest start. A percentile
/// needs history or a forecast, an absolute threshold does not; a forecast tells when the start is
/// expected. While the value is missing, the job waits. Seen in: Compute Gardener, NEO; the
/// percentile in Ecovisor.
std::unique_ptr<GatePolicy> MakeThreshold(const ThresholdOptions& options);
std::unique_ptr<GatePolicy> MakeThreshold(Intensity threshold);

/// Starts at or below the job's threshold, else at its latest start. Order: jobs at their latest
/// start, then priority, then longest waiting. A job without a threshold starts at once. Jobs got
/// the values of their tier when they were read (core/jobs/tier.h). A tier in `tiers`, which may be
/// empty, overrides them, so that a simulation can compare sets of tiers.
std::unique_ptr<GatePolicy> MakeTiers(std::vector<core::Tier> tiers);

struct LowestWindowOptions {
  /// The run waits only if the expected mean intensity is lower by at least this share of the mean
  /// when starting now.
  double minimum_saving = 0.01;
};

/// Starts at the moment before the latest start from which the mean intensity over the estimated
/// run time is expected to be lowest; plans again whenever the signal changes. A low value now does
/// not start a run whose length reaches into a rising ramp. Method: "lowest window" (Wiesner et
/// al., Let's Wait Awhile, Middleware 2021), with the candidates in continuous time: the mean as a
/// function of the start is piecewise linear, so its minimum lies where the window's begin or end
/// meets a sample boundary. Ties go to the earlier start.
std::unique_ptr<GatePolicy> MakeLowestWindow(const LowestWindowOptions& options);

struct LowestSlotsOptions {
  Duration slot{std::chrono::minutes{15}};  ///< longest slot; the run is a whole number of slots
  int slot_limit = 2000;  ///< slots get longer if the horizon would need more of them
  double minimum_saving = 0.01;
};

/// Runs a job that can be paused in the cleanest slots before its deadline. Each pause costs its
/// overhead, and no piece is shorter than the minimum segment: exact for one job, by dynamic
/// programming. Other jobs run as with lowest window. Method: "Wait Awhile" with a switching cost.
std::unique_ptr<GatePolicy> MakeLowestSlots(const LowestSlotsOptions& options);

/// Starts at the time s with the highest saving per hour from submission to completion: (mean at
/// submission - mean at s) / (s - submission + run time). Method: Carbon-Time (Hanafy et al., GAIA,
/// ASPLOS 2024).
std::unique_ptr<GatePolicy> MakeCarbonTime();

struct DtprOptions {
  /// Bounds of the signal. Without them, the least and the greatest of the known values are used.
  std::optional<Intensity> lower, upper;
  Duration unit{std::chrono::hours{1}};  ///< unit of purchase: how often the signal changes
};

/// Needs no forecast, only bounds, and is competitive whatever the signal does within them. It
/// starts at or below one threshold and keeps running up to a higher one; both fall with the
/// remaining work. Method: double threshold pause and resume (Lechowicz et al., arXiv 2303.17551).
std::unique_ptr<GatePolicy> MakeDtpr(const DtprOptions& options);

/// A window of time with its mean intensity, for `ebb grid` and the lowest-window policy.
struct Window {
  Time start{};
  Intensity mean;
};
/// The window of `length` with the lowest mean among starts in [earliest, latest] at which the view
/// covers it fully; the earliest among equals. nullopt if no window is fully covered.
std::optional<Window> CleanestWindow(const core::SignalView& view, Interval starts,
                                     Duration length);
std::optional<Window> CleanestWindow(const IntensityIntegral& ahead, Interval starts,
                                     Duration length);
/// The `count` cleanest windows that do not overlap, cleanest first: each is the cleanest one
/// beside those before it. Fewer if there is no more room.
std::vector<Window> CleanestWindows(const core::SignalView& view, Interval starts, Duration length,
                                    int count);

}  // namespace ebb::plan
