#include <algorithm>

#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

class CarbonTime final : public GatePolicy {
 public:
  std::string_view name() const override { return "carbon-time"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    if (request.state == JobState::kRunning) return KeepRunning(request, moment);
    if (auto latest = AtLatestStart(request, moment)) return *latest;
    if (auto unknown = AtUnknownHours(request, moment)) return *unknown;
    core::GateDecision decision = DecisionAt(request, moment);
    decision.action = GateAction::kWait;
    const Time now = moment.view.now;
    decision.judged = JudgedLength(request, moment);
    const auto mean_now = moment.ahead.Mean({now, now + decision.judged});
    if (!mean_now) {
      decision.reason.rule =
          decision.reason.current ? GateRule::kForecastMissing : GateRule::kSignalMissing;
      return decision;
    }
    decision.mean_if_now = Intensity{*mean_now};
    const Best best = Search(request, moment, decision.judged, *mean_now);
    decision.reason.start = best.start;
    decision.reason.expected = Intensity{best.mean};
    if (best.start == now) return RunNow(std::move(decision), request, GateRule::kCleanestNow);
    decision.reason.rule = GateRule::kCleanerLater;
    decision.wake_at = std::min(decision.wake_at, best.start);
    return decision;
  }

 private:
  struct Best {
    Time start;
    double mean;
    double saving_per_hour;
  };

  // The cost of a start at submission. Later decisions must compare with it too; otherwise each of
  // them would find the next saving worth waiting for.
  static double Reference(const GateRequest& request, const GateMoment& moment, Duration length,
                          double mean_now) {
    if (request.submitted >= moment.view.now) return mean_now;
    const auto mean = moment.view.Mean({request.submitted, request.submitted + length});
    return mean && mean->coverage > 1 - 1e-9 ? mean->intensity.g_per_kwh : mean_now;
  }

  // Between two candidates the mean is linear in the start, so the saving per hour is a ratio of
  // linear functions and monotonic. So the candidates for the mean are the candidates for the ratio
  // too.
  static Best Search(const GateRequest& request, const GateMoment& moment, Duration length,
                     double mean_now) {
    const Time now = moment.view.now;
    const double reference = Reference(request, moment, length, mean_now);
    const auto per_hour = [&](Time start, double mean) {
      return (reference - mean) / Hours(start - request.submitted + request.remaining);
    };
    // Savings below a billionth are rounding errors: with a flat signal the run starts at once.
    Best best{now, mean_now, std::max(1e-9 * reference, per_hour(now, mean_now))};
    moment.ahead.Sweep({now, request.latest_start}, length, [&](Time start, double mean) {
      const double saving = per_hour(start, mean);
      if (saving > best.saving_per_hour * (1 + 1e-9)) best = {start, mean, saving};
    });
    return best;
  }
};

}  // namespace

std::unique_ptr<GatePolicy> MakeCarbonTime() { return std::make_unique<CarbonTime>(); }

}  // namespace ebb::plan
