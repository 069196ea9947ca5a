#include <algorithm>
#include <vector>

#include "base/text.h"
#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

// Starts at which the piecewise linear mean can have its minimum.
std::vector<Time> CandidateStarts(const core::SignalView& view, Interval starts, Duration length) {
  std::vector<Time> candidates{starts.begin, starts.end};
  const auto add = [&](Time time) {
    if (time > starts.begin && time < starts.end) candidates.push_back(time);
  };
  for (const core::IntensitySeries* series : {&view.known, &view.forecast.series}) {
    for (const core::Sample& sample : series->samples()) {
      for (const Time boundary : {sample.interval.begin, sample.interval.end}) {
        add(boundary);
        add(boundary - length);
      }
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

bool Covered(const std::optional<core::WindowMean>& mean) {
  return mean && mean->coverage > 1 - 1e-9;
}

// How far ahead of now the view reaches without regard to gaps.
Duration Horizon(const core::SignalView& view) {
  const Time end = std::max(view.known.span().end, view.forecast.series.span().end);
  return std::max(Duration::zero(), end - view.now);
}

class LowestWindow final : public GatePolicy {
 public:
  explicit LowestWindow(const LowestWindowOptions& options) : options_(options) {}

  std::string_view name() const override { return "window"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    if (auto latest = AtLatestStart(request, moment)) return *latest;
    core::GateDecision decision = DecisionAt(request, moment);
    decision.action = GateAction::kWait;
    // A run longer than half of what is forecast is judged by the part that can be compared.
    const Duration length = std::min(request.run_time, Horizon(moment.view) / 2);
    const Interval starts{moment.view.now, request.start_by};
    const auto best =
        length > Duration::zero() ? CleanestWindow(moment.view, starts, length) : std::nullopt;
    const auto now = moment.view.Mean({moment.view.now, moment.view.now + length});
    if (!Covered(now) || !best) return Missing(std::move(decision), best);
    const double saving = 1 - best->mean.g_per_kwh / std::max(now->intensity.g_per_kwh, 1e-12);
    if (best->start == moment.view.now || saving < options_.minimum_saving)
      return StartNow(std::move(decision), now->intensity, length);
    return WaitFor(std::move(decision), *best, now->intensity);
  }

 private:
  static core::GateDecision Missing(core::GateDecision decision,
                                    const std::optional<Window>& best) {
    decision.rule = decision.current ? GateRule::kForecastMissing : GateRule::kSignalMissing;
    decision.reason = decision.current ? "no forecast reaches over the run time yet"
                                       : "the signal has no value for this moment";
    if (best && best->start > decision.at) {
      decision.expected_start = best->start;
      decision.expected_mean = best->mean;
    }
    return decision;
  }

  static core::GateDecision StartNow(core::GateDecision decision, Intensity mean, Duration length) {
    decision.action = GateAction::kStart;
    decision.rule = GateRule::kCleanestNow;
    decision.expected_start = decision.at;
    decision.expected_mean = mean;
    decision.reason = "no later start is expected to be cleaner than now: " + Describe(mean) +
                      " on average over the next " + FormatDuration(length);
    return decision;
  }

  static core::GateDecision WaitFor(core::GateDecision decision, const Window& best,
                                    Intensity now) {
    decision.rule = GateRule::kCleanerLater;
    decision.expected_start = best.start;
    decision.expected_mean = best.mean;
    decision.wake_at = std::min(decision.wake_at, best.start);
    decision.reason = Describe(now) + " on average if started now, " + Describe(best.mean) +
                      " expected from " + FormatTime(best.start);
    return decision;
  }

  LowestWindowOptions options_;
};

}  // namespace

std::optional<Window> CleanestWindow(const core::SignalView& view, Interval starts,
                                     Duration length) {
  Window best;
  bool found = false;
  for (const Time start : CandidateStarts(view, starts, length)) {
    const auto mean = view.Mean({start, start + length});
    if (!Covered(mean)) continue;
    // Rounding must not prefer a later start of a flat signal.
    const double margin = 1e-9 * mean->intensity.g_per_kwh;
    if (found && mean->intensity.g_per_kwh >= best.mean.g_per_kwh - margin) continue;
    best = {start, mean->intensity};
    found = true;
  }
  if (!found) return std::nullopt;
  return best;
}

std::unique_ptr<GatePolicy> MakeLowestWindow(const LowestWindowOptions& options) {
  return std::make_unique<LowestWindow>(options);
}

}  // namespace ebb::plan
