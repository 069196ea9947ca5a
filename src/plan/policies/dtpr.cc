#include "plan/policies/dtpr.h"

#include <algorithm>
#include <cmath>

#include "plan/deadline.h"
#include "plan/gate_policy.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

constexpr int kBisections = 80;
constexpr int kMostUnits = 10'000;
// With less history than this, the bounds seen so far are widened by kWiden.
constexpr Duration kTrustedHistory = std::chrono::hours{24};
constexpr double kWiden = 2;

double FirstStart(const PriceBounds& bounds, int units, double switching, double alpha) {
  return (bounds.upper + switching / units) / alpha - switching / units;
}

}  // namespace

DtprThresholds::DtprThresholds(PriceBounds bounds, int units, double switching)
    : bounds_(bounds), units_(units), switching_(switching) {
  // If switching costs more than prices can differ, a pause gains nothing.
  switching_ = std::min(switching_, std::max(0.0, bounds.upper - bounds.lower));
  const double target = bounds.upper - switching_ - bounds.lower;
  const auto reaches_lower = [&](double alpha) {
    const double first = bounds.upper - switching_ - FirstStart(bounds, units, switching_, alpha);
    return first * std::pow(1 + 1 / (alpha * units), units) >= target;
  };
  double low = 1;
  double high = bounds.upper / bounds.lower + 1;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (reaches_lower(middle) ? high : low) = middle;
  }
  alpha_ = high;
}

double DtprThresholds::Start(int unit) const {
  const double top = bounds_.upper - switching_;
  const double first = FirstStart(bounds_, units_, switching_, alpha_);
  return top - (top - first) * std::pow(1 + 1 / (alpha_ * units_), unit - 1);
}

double DtprThresholds::Keep(int unit) const { return Start(unit) + switching_; }

namespace {

class Dtpr final : public GatePolicy {
 public:
  explicit Dtpr(const DtprOptions& options) : options_(options) {}

  std::string_view name() const override { return "dtpr"; }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    const bool running = request.state == JobState::kRunning;
    if (running && !request.pausable) return KeepRunning(request, moment);
    if (auto latest = AtLatestStart(request, moment)) return *latest;
    if (!options_.lower && !options_.upper)  // the bounds of a single value say nothing
      if (auto unknown = AtUnknownHours(request, moment)) return *unknown;
    core::GateDecision decision = DecisionAt(request, moment);
    const auto bounds = BoundsAt(moment);
    if (!decision.reason.current || !bounds) {
      if (running) return KeepRunning(request, moment);
      decision.reason.rule = GateRule::kSignalMissing;
      return decision;
    }
    decision.reason.threshold = ThresholdFor(request, *bounds);
    if (*decision.reason.current <= *decision.reason.threshold)
      return RunNow(std::move(decision), request,
                    running ? GateRule::kRunning : GateRule::kBelowThreshold);
    decision.action = running ? GateAction::kPause : GateAction::kWait;
    decision.reason.rule = running || request.state == JobState::kPaused
                               ? GateRule::kPausedForCleaner
                               : GateRule::kAboveThreshold;
    return decision;
  }

 private:
  Intensity ThresholdFor(const GateRequest& request, const PriceBounds& bounds) const {
    // A job in one block is one unit: the question is if the present value is good enough for all
    // of it.
    if (!request.pausable) return {DtprThresholds(bounds, 1, 0).Start(1)};
    const Duration whole = std::max(request.duration, request.remaining);
    const auto units_of = [&](Duration work) {
      return static_cast<int>(std::min<std::int64_t>(work / options_.unit, kMostUnits));
    };
    const int units = std::max(1, units_of(whole + options_.unit - Duration{1}));
    const int next = std::min(units, units_of(whole - request.remaining) + 1);
    const double switching = bounds.upper * Hours(request.pause_cost) / Hours(options_.unit);
    const DtprThresholds thresholds(bounds, units, switching);
    return {request.state == JobState::kRunning ? thresholds.Keep(next) : thresholds.Start(next)};
  }

  std::optional<PriceBounds> BoundsAt(const GateMoment& moment) const {
    const core::IntensitySeries& known = moment.view.known;
    PriceBounds bounds{1e300, 0};
    for (const core::Sample& sample : known.samples()) {
      bounds.lower = std::min(bounds.lower, sample.intensity.g_per_kwh);
      bounds.upper = std::max(bounds.upper, sample.intensity.g_per_kwh);
    }
    if (known.span().length() < kTrustedHistory && bounds.lower < bounds.upper) {
      bounds.lower /= kWiden;
      bounds.upper *= kWiden;
    }
    if (options_.lower) bounds.lower = options_.lower->g_per_kwh;
    if (options_.upper) bounds.upper = options_.upper->g_per_kwh;
    if (bounds.upper < bounds.lower) return std::nullopt;
    bounds.lower = std::max(bounds.lower, 1e-3 * bounds.upper);  // a ratio to 0 says nothing
    return bounds;
  }

  DtprOptions options_;
};

}  // namespace

std::unique_ptr<GatePolicy> MakeDtpr(const DtprOptions& options) {
  return std::make_unique<Dtpr>(options);
}

}  // namespace ebb::plan
