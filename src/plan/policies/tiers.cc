#include <algorithm>

#include "plan/deadline.h"
#include "plan/gate_policy.h"
#include "plan/threshold_gate.h"

namespace ebb::plan {
namespace {

class Tiers final : public GatePolicy {
 public:
  explicit Tiers(std::vector<Tier> tiers) : tiers_(std::move(tiers)) {}

  std::string_view name() const override { return "tiers"; }

  core::GateDecision Decide(const GateRequest& given, const GateMoment& moment) const override {
    // Tiers gate the start; a started job is left alone.
    if (given.state == JobState::kRunning) return KeepRunning(given, moment);
    const Tier* tier = Find(given);
    const std::optional<Intensity> threshold = tier ? tier->threshold : given.threshold;
    if (!threshold) return RunNow(DecisionAt(given, moment), given, core::GateRule::kRunNow);
    GateRequest request = given;
    request.latest_start = LatestStart(given);
    return ThresholdGate(request, moment, threshold, Intensity{0});
  }

  Time LatestStart(const GateRequest& request) const override {
    const Tier* tier = Find(request);
    if (!tier || request.state != JobState::kWaiting) return request.latest_start;
    return std::min(request.latest_start, request.submitted + tier->max_delay);
  }

  Order OrderOf(const GateRequest& request) const override {
    const Tier* tier = Find(request);
    return {tier ? -tier->priority : -request.priority, request.submitted};
  }

 private:
  const Tier* Find(const GateRequest& request) const {
    for (const Tier& tier : tiers_)
      if (tier.name == request.tier) return &tier;
    return nullptr;
  }

  std::vector<Tier> tiers_;
};

}  // namespace

std::vector<Tier> PublishedTiers() {
  using std::chrono::hours;
  return {{"1", {225}, hours{24}, 3}, {"2", {175}, hours{48}, 2}, {"3", {125}, hours{96}, 1}};
}

std::unique_ptr<GatePolicy> MakeTiers(std::vector<Tier> tiers) {
  return std::make_unique<Tiers>(std::move(tiers));
}

}  // namespace ebb::plan
