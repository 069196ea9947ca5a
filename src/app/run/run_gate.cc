#include "app/run/run_gate.h"

#include <utility>

#include "app/run/gate_policy.h"
#include "plan/make_policy.h"
#include "report/run/gate_inputs.h"

namespace ebb::app {
namespace {

// Stores decisions and shows them.
class Gatekeeper final : public runtime::GateObserver {
 public:
  Gatekeeper(RunSinks sinks, report::GateInputsFile inputs, OnFirstDecision on_first)
      : sinks_(sinks), inputs_(std::move(inputs)), on_first_(std::move(on_first)) {}

  Status OnDecision(const core::GateDecision& decision,
                    const runtime::GateObservation& observation) override {
    const OnFirstDecision on_first = std::exchange(on_first_, nullptr);
    if (on_first) at_submission_ = decision.reason.current;
    sinks_.log.Write("grid " + FormatTime(decision.at) + "  " + std::string(Name(decision.action)) +
                     " (" + std::string(Name(decision.reason.rule)) + "): " + Sentence(decision));
    sinks_.display.ShowDecision(decision, observation.view);
    EBB_RETURN_IF_ERROR(
        inputs_.Append(observation.view, observation.next_change, observation.failure));
    EBB_RETURN_IF_ERROR(sinks_.directory.AppendDecision(decision));
    if (!on_first) return {};
    EBB_RETURN_IF_ERROR(on_first(decision));
    // on_first may have printed lines over the live line of the wait, so that line is drawn again.
    if (decision.action == core::GateAction::kWait) sinks_.display.ShowWait(decision.at);
    return {};
  }
  void OnTick(Time grid_now) override { sinks_.display.ShowWait(grid_now); }
  Status OnSkippedWait(const core::SkippedWait& wait) override {
    return sinks_.directory.AppendSkippedWait(wait);
  }
  std::optional<Intensity> intensity_at_submission() const { return at_submission_; }

 private:
  RunSinks sinks_;
  report::GateInputsFile inputs_;
  OnFirstDecision on_first_;
  std::optional<Intensity> at_submission_;
};

}  // namespace

Result<GateWait> WaitAtGate(const plan::GateRequest& request, int attempt_number,
                            const config::SchedulerConfig& scheduler, GateSide& surroundings,
                            RunSinks sinks, OnFirstDecision on_first) {
  const auto prices = PriceOptionsOf(scheduler, surroundings.prices, request);
  EBB_ASSIGN_OR_RETURN(const auto policy, PolicyOf(scheduler, prices));
  const bool has_threshold = scheduler.policy == plan::GatePolicyKind::kThreshold;
  EBB_ASSIGN_OR_RETURN(
      auto inputs,
      report::GateInputsFile::Begin(
          sinks.directory.path(),
          {request, attempt_number, std::string(Name(scheduler.policy)),
           has_threshold ? std::optional(scheduler.threshold) : std::nullopt, prices}));
  Gatekeeper gatekeeper(sinks, std::move(inputs), std::move(on_first));
  EBB_ASSIGN_OR_RETURN(
      runtime::GateResult result,
      runtime::WaitForStart(request, *policy, *surroundings.feed, surroundings.clock, gatekeeper));
  return GateWait{std::move(result), gatekeeper.intensity_at_submission()};
}

}  // namespace ebb::app
