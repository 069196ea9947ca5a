#include <algorithm>

#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

class LowestWindow final : public GatePolicy {
 public:
  explicit LowestWindow(const LowestWindowOptions& options) : options_(options) {}

  std::string_view name() const override { return "window"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    if (request.state == JobState::kRunning) return KeepRunning(request, moment);
    if (auto latest = AtLatestStart(request, moment)) return *latest;
    if (auto unknown = AtUnknownHours(request, moment)) return *unknown;
    core::GateDecision decision = DecisionAt(request, moment);
    decision.action = GateAction::kWait;
    const Time now = moment.view.now;
    decision.judged = JudgedLength(request, moment);
    const auto best = CleanestWindow(moment.ahead, {now, request.latest_start}, decision.judged);
    const auto mean_now = moment.ahead.Mean({now, now + decision.judged});
    if (best) {
      decision.reason.start = best->start;
      decision.reason.expected = best->mean;
    }
    if (!mean_now || !best) return Missing(std::move(decision));
    decision.mean_if_now = Intensity{*mean_now};
    const double saving = 1 - best->mean.g_per_kwh / std::max(*mean_now, 1e-12);
    if (best->start == now || saving < options_.minimum_saving) {
      decision.reason.expected = decision.mean_if_now;
      return RunNow(std::move(decision), request, GateRule::kCleanestNow);
    }
    decision.reason.rule = GateRule::kCleanerLater;
    decision.wake_at = std::min(decision.wake_at, best->start);
    return decision;
  }

 private:
  static core::GateDecision Missing(core::GateDecision decision) {
    decision.reason.rule =
        decision.reason.current ? GateRule::kForecastMissing : GateRule::kSignalMissing;
    return decision;
  }

  LowestWindowOptions options_;
};

}  // namespace

std::optional<Window> CleanestWindow(const core::SignalView& view, Interval starts,
                                     Duration length) {
  return CleanestWindow(IntensityIntegral(view, starts.begin), starts, length);
}

std::optional<Window> CleanestWindow(const IntensityIntegral& ahead, Interval starts,
                                     Duration length) {
  std::optional<Window> best;
  ahead.Sweep(starts, length, [&](Time start, double mean) {
    // Rounding must not prefer a later start of a flat signal.
    if (best && mean >= best->mean.g_per_kwh - 1e-9 * mean) return;
    best = Window{start, {mean}};
  });
  return best;
}

std::vector<Window> CleanestWindows(const core::SignalView& view, Interval starts, Duration length,
                                    int count) {
  const IntensityIntegral ahead(view, starts.begin);
  std::vector<Interval> free{starts};
  std::vector<Window> windows;
  while (static_cast<int>(windows.size()) < count) {
    std::optional<Window> best;
    for (const Interval& room : free) {
      const auto window = CleanestWindow(ahead, room, length);
      if (window && (!best || window->mean < best->mean)) best = window;
    }
    if (!best) break;
    windows.push_back(*best);
    // Removes starts from which a window would reach into this one.
    std::vector<Interval> left;
    for (const Interval& room : free) {
      const Time before = std::min(room.end, best->start - length);
      const Time after = std::max(room.begin, best->start + length);
      if (before >= room.begin) left.push_back({room.begin, before});
      if (after <= room.end) left.push_back({after, room.end});
    }
    free = std::move(left);
  }
  return windows;
}

std::unique_ptr<GatePolicy> MakeLowestWindow(const LowestWindowOptions& options) {
  return std::make_unique<LowestWindow>(options);
}

}  // namespace ebb::plan
