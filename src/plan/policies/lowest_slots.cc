#include <algorithm>
#include <cmath>

#include "plan/deadline.h"
#include "plan/gate_policy.h"
#include "plan/slot_choice.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

// The most cells of the dynamic programme that one decision may fill.
constexpr std::int64_t kCellLimit = 2'000'000;

std::int64_t RoundUp(Duration length, Duration slot) {
  return (length.count() + slot.count() - 1) / slot.count();
}

class LowestSlots final : public GatePolicy {
 public:
  explicit LowestSlots(const LowestSlotsOptions& options)
      : options_(options), in_one_block_(MakeLowestWindow({options.minimum_saving})) {}

  std::string_view name() const override { return "lowest-slots"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    if (!request.pausable) return in_one_block_->Decide(request, moment);
    if (auto latest = AtLatestStart(request, moment)) return *latest;
    if (auto unknown = AtUnknownHours(request, moment)) return *unknown;
    const Duration slot = SlotFor(request, moment);
    const auto problem = MakeProblem(request, moment, slot);
    const auto choice = problem ? ChooseSlots(*problem) : std::nullopt;
    if (!choice) return in_one_block_->Decide(request, moment);
    return Decision(request, moment, *problem, *choice, slot);
  }

 private:
  // The time in which the work can be done, as far as the signal is known.
  static Duration Room(const GateRequest& request, const GateMoment& moment) {
    const Time now = moment.view.now;
    const Time end = std::min(request.latest_start + request.remaining, moment.ahead.end());
    return std::max(Duration::zero(), end - now);
  }

  // The run is a whole number of slots; slots grow until the programme is small enough.
  Duration SlotFor(const GateRequest& request, const GateMoment& moment) const {
    const std::int64_t room = Room(request, moment).count();
    std::int64_t slots = RoundUp(request.remaining, options_.slot);
    const auto length = [&] { return RoundUp(request.remaining, Duration{slots}); };
    while (slots > 1 &&
           (room / length() > options_.slot_limit || room / length() * slots > kCellLimit))
      slots = slots * 3 / 4;
    return Duration{length()};
  }

  static std::optional<SlotProblem> MakeProblem(const GateRequest& request,
                                                const GateMoment& moment, Duration slot) {
    SlotProblem problem;
    const Time now = moment.view.now;
    for (std::int64_t i = 0; i < Room(request, moment) / slot; ++i) {
      const auto mean = moment.ahead.Mean({now + i * slot, now + (i + 1) * slot});
      if (!mean) return std::nullopt;
      problem.cost.push_back(*mean);
      problem.resume.push_back(*mean * Hours(request.pause_cost) / Hours(slot));
    }
    problem.slots = static_cast<int>(RoundUp(request.remaining, slot));
    problem.minimum_block = std::max(1, static_cast<int>(RoundUp(request.minimum_segment, slot)));
    problem.running = request.state == JobState::kRunning;
    if (problem.running) {
      const Duration ran = now - request.segment_begin;
      problem.running_must = static_cast<int>(
          RoundUp(std::max(Duration::zero(), request.minimum_segment - ran), slot));
    }
    return problem;
  }

  // The cost of running from now on without a pause.
  static double CostAtOnce(const SlotProblem& problem) {
    double cost = 0;
    for (int i = 0; i < problem.slots; ++i) cost += problem.cost[static_cast<std::size_t>(i)];
    return cost;
  }

  core::GateDecision Decision(const GateRequest& request, const GateMoment& moment,
                              const SlotProblem& problem, const SlotChoice& choice,
                              Duration slot) const {
    core::GateDecision decision = DecisionAt(request, moment);
    const bool running = problem.running;
    const double at_once = CostAtOnce(problem);
    const bool begins_now = choice.blocks.front().begin == 0;
    const bool worth_it = choice.cost <= at_once * (1 - options_.minimum_saving);
    decision.judged = request.remaining;
    decision.mean_if_now = Intensity{at_once / problem.slots};
    decision.reason.expected =
        Intensity{(begins_now || worth_it ? choice.cost : at_once) / problem.slots};
    if (begins_now || !worth_it) {
      // The next look is at the end of the piece, unless something new comes before.
      decision = RunNow(std::move(decision), request,
                        running ? GateRule::kRunning : GateRule::kCleanestNow);
      if (worth_it)
        decision.wake_at =
            std::min(decision.wake_at, moment.view.now + choice.blocks.front().end * slot);
      return decision;
    }
    decision.action = running ? GateAction::kPause : GateAction::kWait;
    decision.reason.rule =
        request.state == JobState::kWaiting ? GateRule::kCleanerLater : GateRule::kPausedForCleaner;
    decision.reason.start = moment.view.now + choice.blocks.front().begin * slot;
    decision.wake_at = std::min(decision.wake_at, *decision.reason.start);
    return decision;
  }

  LowestSlotsOptions options_;
  std::unique_ptr<GatePolicy> in_one_block_;
};

}  // namespace

std::unique_ptr<GatePolicy> MakeLowestSlots(const LowestSlotsOptions& options) {
  return std::make_unique<LowestSlots>(options);
}

}  // namespace ebb::plan
