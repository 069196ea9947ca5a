#include "base/text.h"
#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

class Threshold final : public GatePolicy {
 public:
  explicit Threshold(Intensity threshold) : threshold_(threshold) {}

  std::string_view name() const override { return "threshold"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    core::GateDecision decision = DecisionAt(request, moment);
    decision.threshold = threshold_;
    if (decision.current && *decision.current <= threshold_) {
      decision.action = GateAction::kStart;
      decision.rule = GateRule::kBelowThreshold;
      decision.expected_start = decision.at;
      decision.reason = Describe(decision.current) + " is at or below " + Describe(threshold_);
      return decision;
    }
    if (auto latest = AtLatestStart(request, moment)) {
      latest->threshold = threshold_;
      return *latest;
    }
    decision.action = GateAction::kWait;
    decision.expected_start = FirstBelow(request, moment);
    if (decision.current) {
      decision.rule = GateRule::kAboveThreshold;
      decision.reason = Describe(decision.current) + " is above " + Describe(threshold_);
    } else {
      decision.rule = GateRule::kSignalMissing;
      decision.reason = "the signal has no value for this moment";
    }
    return decision;
  }

 private:
  std::optional<Time> FirstBelow(const GateRequest& request, const GateMoment& moment) const {
    for (const core::Sample& sample : moment.view.forecast.series.samples()) {
      if (sample.interval.end <= moment.view.now || sample.intensity > threshold_) continue;
      if (sample.interval.begin >= request.start_by) break;
      return std::max(sample.interval.begin, moment.view.now);
    }
    return std::nullopt;
  }

  Intensity threshold_;
};

}  // namespace

std::unique_ptr<GatePolicy> MakeThreshold(Intensity threshold) {
  return std::make_unique<Threshold>(threshold);
}

}  // namespace ebb::plan
