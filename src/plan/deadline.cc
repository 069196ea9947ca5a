#include "plan/deadline.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::plan {

using core::GateAction;
using core::GateRule;

core::GateDecision DecisionAt(const GateRequest& request, const GateMoment& moment) {
  core::GateDecision decision;
  decision.at = moment.view.now;
  decision.start_by = request.start_by;
  decision.wake_at = std::min(request.start_by, moment.next_change);
  if (const core::Sample* current = moment.view.Current()) {
    decision.current = current->intensity;
    decision.current_status = current->status;
  }
  return decision;
}

std::optional<core::GateDecision> AtLatestStart(const GateRequest& request,
                                                const GateMoment& moment) {
  if (moment.view.now < request.start_by) return std::nullopt;
  core::GateDecision decision = DecisionAt(request, moment);
  const std::string value = Describe(decision.current);
  if (request.at_deadline == AtDeadline::kStop) {
    decision.action = GateAction::kStop;
    decision.rule = GateRule::kStoppedAtDeadline;
    decision.reason = "the latest start is reached at " + value + ": stopped, as asked";
    return decision;
  }
  decision.action = GateAction::kStart;
  decision.rule = GateRule::kLatestStart;
  decision.expected_start = decision.at;
  decision.reason = "the latest start is reached: starting at " + value;
  return decision;
}

std::string Describe(const std::optional<Intensity>& intensity) {
  return intensity ? FormatFixed(intensity->g_per_kwh, 0) + " g/kWh" : "unknown intensity";
}

}  // namespace ebb::plan
