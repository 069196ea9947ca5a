#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

class RunNow final : public GatePolicy {
 public:
  std::string_view name() const override { return "now"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    core::GateDecision decision = DecisionAt(request, moment);
    decision.action = core::GateAction::kStart;
    decision.rule = core::GateRule::kRunNow;
    decision.expected_start = decision.at;
    decision.reason = "policy now: starting at " + Describe(decision.current);
    return decision;
  }
};

}  // namespace

std::unique_ptr<GatePolicy> MakeRunNow() { return std::make_unique<RunNow>(); }

}  // namespace ebb::plan
