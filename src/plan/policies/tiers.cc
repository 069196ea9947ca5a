#include <algorithm>

#include "plan/deadline.h"
#include "plan/gate_policy.h"
#include "plan/threshold_gate.h"

namespace ebb::plan {
namespace {

class Tiers final : public GatePolicy {
 public:
  explicit Tiers(std::vector<core::Tier> tiers) : tiers_(std::move(tiers)) {}

  std::string_view name() const override { return "tiers"; }

  core::GateDecision Decide(const GateRequest& given, const GateMoment& moment) const override {
    // Tiers gate the start; a started job is left alone.
    if (given.state == JobState::kRunning) return KeepRunning(given, moment);
    const core::Tier* tier = core::FindTier(tiers_, given.tier);
    const std::optional<Intensity> threshold = tier ? tier->threshold : given.threshold;
    if (!threshold) return RunNow(DecisionAt(given, moment), given, core::GateRule::kRunNow);
    GateRequest request = given;
    request.latest_start = LatestStart(given);
    return ThresholdGate(request, moment, threshold, Intensity{0});
  }

  Time LatestStart(const GateRequest& request) const override {
    const core::Tier* tier = core::FindTier(tiers_, request.tier);
    if (!tier || request.state != JobState::kWaiting) return request.latest_start;
    return std::min(request.latest_start, request.submitted + tier->max_delay);
  }

  Order OrderOf(const GateRequest& request) const override {
    const core::Tier* tier = core::FindTier(tiers_, request.tier);
    return {tier ? -tier->priority : -request.priority, request.submitted};
  }

 private:
  std::vector<core::Tier> tiers_;
};

}  // namespace

std::unique_ptr<GatePolicy> MakeTiers(std::vector<core::Tier> tiers) {
  return std::make_unique<Tiers>(std::move(tiers));
}

}  // namespace ebb::plan
