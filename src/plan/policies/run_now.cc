#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

class StartAtOnce : public GatePolicy {
 public:
  std::string_view name() const override { return "now"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    if (request.state == JobState::kRunning) return KeepRunning(request, moment);
    return RunNow(DecisionAt(request, moment), request, core::GateRule::kRunNow);
  }
};

class EarliestDeadlineFirst final : public StartAtOnce {
 public:
  std::string_view name() const override { return "edf"; }
  Order OrderOf(const GateRequest& request) const override { return {0, request.latest_start}; }
};

}  // namespace

std::unique_ptr<GatePolicy> MakeRunNow() { return std::make_unique<StartAtOnce>(); }

std::unique_ptr<GatePolicy> MakeEarliestDeadlineFirst() {
  return std::make_unique<EarliestDeadlineFirst>();
}

}  // namespace ebb::plan
