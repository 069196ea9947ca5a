#include <algorithm>
#include <vector>

#include "core/signal/one_value.h"
#include "plan/deadline.h"
#include "plan/gate_policy.h"
#include "plan/threshold_gate.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

// The first time before the latest start at which the forecast is at or below the threshold.
std::optional<Time> FirstBelow(const GateRequest& request, const GateMoment& moment,
                               Intensity threshold) {
  const auto first = moment.ahead.FirstAtMost(threshold.g_per_kwh);
  return first && *first < request.latest_start ? first : std::nullopt;
}

void Collect(const core::IntensitySeries& series, Interval window, std::vector<double>& values) {
  for (const core::Sample& sample : series.samples()) {
    if (sample.interval.end > window.begin && sample.interval.begin < window.end)
      values.push_back(sample.intensity.g_per_kwh);
  }
}

class Threshold final : public GatePolicy {
 public:
  explicit Threshold(const ThresholdOptions& options) : options_(options) {}

  std::string_view name() const override { return "threshold"; }

  core::GateDecision Decide(const GateRequest& given, const GateMoment& moment) const override {
    GateRequest request = given;
    request.latest_start = LatestStart(given);
    // If all values are the same, a share of them is not a threshold.
    if (!request.threshold && !options_.threshold && moment.view.now < request.latest_start)
      if (auto unknown = AtUnknownHours(request, moment)) return *unknown;
    return ThresholdGate(request, moment, ThresholdFor(request, moment), options_.hysteresis);
  }

  Time LatestStart(const GateRequest& request) const override {
    // A job that has begun keeps the deadline under which it began.
    if (!options_.max_wait || request.state != JobState::kWaiting) return request.latest_start;
    return std::min(request.latest_start, request.submitted + *options_.max_wait);
  }

 private:
  std::optional<Intensity> ThresholdFor(const GateRequest& request,
                                        const GateMoment& moment) const {
    if (request.threshold) return request.threshold;
    if (options_.threshold) return options_.threshold;
    const Time now = moment.view.now;
    std::vector<double> values;
    Collect(moment.view.known, {now - options_.window, now}, values);
    Collect(moment.view.forecast.series, {now, now + options_.window}, values);
    if (values.empty()) return std::nullopt;
    const double rank = options_.percentile * static_cast<double>(values.size() - 1);
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values.begin(), nth, values.end());
    return Intensity{*nth};
  }

  ThresholdOptions options_;
};

}  // namespace

core::GateDecision ThresholdGate(const GateRequest& request, const GateMoment& moment,
                                 std::optional<Intensity> threshold, Intensity hysteresis) {
  const bool running = request.state == JobState::kRunning;
  core::GateDecision decision = DecisionAt(request, moment);
  decision.reason.threshold = threshold;
  if (running && !request.pausable) return RunNow(std::move(decision), request, GateRule::kRunning);
  const double margin = running ? hysteresis.g_per_kwh : 0;
  if (decision.reason.current && threshold &&
      decision.reason.current->g_per_kwh <= threshold->g_per_kwh + margin) {
    return RunNow(std::move(decision), request,
                  running ? GateRule::kRunning : GateRule::kBelowThreshold);
  }
  if (auto latest = AtLatestStart(request, moment)) {
    latest->reason.threshold = threshold;
    return *latest;
  }
  // Without a value there is no reason to pause.
  if (running && (!decision.reason.current || !threshold))
    return RunNow(std::move(decision), request, GateRule::kRunning);
  decision.action = running ? GateAction::kPause : GateAction::kWait;
  if (threshold) decision.reason.start = FirstBelow(request, moment, *threshold);
  decision.reason.rule = !decision.reason.current              ? GateRule::kSignalMissing
                         : request.state != JobState::kWaiting ? GateRule::kPausedForCleaner
                         : core::KnowsHours(moment.view)       ? GateRule::kAboveThreshold
                                                               : GateRule::kThresholdOutOfReach;
  return decision;
}

std::unique_ptr<GatePolicy> MakeThreshold(const ThresholdOptions& options) {
  return std::make_unique<Threshold>(options);
}

std::unique_ptr<GatePolicy> MakeThreshold(Intensity threshold) {
  ThresholdOptions options;
  options.threshold = threshold;
  return MakeThreshold(options);
}

}  // namespace ebb::plan
