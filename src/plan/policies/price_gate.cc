#include <algorithm>

#include "base/text.h"
#include "plan/deadline.h"
#include "plan/price_blend.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

// When something about prices can change: the price changes, or another price becomes known.
Time NextPriceChange(const core::PriceSeries& prices, Time now) {
  Time next = Time::max();
  if (const core::PriceSample* current = prices.At(now)) next = current->interval.end;
  if (const core::PriceSample* later = prices.NextAfter(now))
    next = std::min(next, later->interval.begin);
  for (const core::PriceSample& sample : prices.samples())
    if (sample.known_from > now) next = std::min(next, sample.known_from);
  return next;
}

std::string NowText(const core::PriceSeries& known, Time now) {
  const core::PriceSample* current = known.At(now);
  return current ? "electricity costs " + core::DescribePrice(current->per_kwh, known.identity()) +
                       " now"
                 : "the price of electricity is not known now";
}

class PriceAware final : public GatePolicy {
 public:
  PriceAware(std::unique_ptr<GatePolicy> inner, PriceGateOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  std::string_view name() const override { return inner_->name(); }
  Time LatestStart(const GateRequest& request) const override {
    return inner_->LatestStart(request);
  }
  Order OrderOf(const GateRequest& request) const override { return inner_->OrderOf(request); }

  core::GateDecision Decide(const GateRequest& request, const GateMoment& moment) const override {
    const Time now = moment.view.now;
    const core::PriceSeries known =
        options_.prices->KnownAt(now, {std::min(request.submitted, now), Time::max()});
    const Time next = std::min(moment.next_change, NextPriceChange(*options_.prices, now));
    core::GateDecision decision = AfterThreshold(request, {moment.view, next}, known);
    decision.note =
        decision.note.empty() ? NowText(known, now) : NowText(known, now) + ", " + decision.note;
    return decision;
  }

 private:
  core::GateDecision AfterThreshold(const GateRequest& request, const GateMoment& moment,
                                    const core::PriceSeries& known) const {
    if (options_.threshold && request.state != JobState::kRunning) {
      if (auto latest = AtLatestStart(request, moment)) return *latest;
      const core::PriceSample* price = known.At(moment.view.now);
      if (!price || price->per_kwh > *options_.threshold) return Wait(request, moment, known);
    }
    if (options_.weight <= 0) return inner_->Decide(request, moment);
    return OnBlend(request, moment, known);
  }

  core::GateDecision Wait(const GateRequest& request, const GateMoment& moment,
                          const core::PriceSeries& known) const {
    core::GateDecision decision = DecisionAt(request, moment);
    decision.action = GateAction::kWait;
    const bool is_known = known.At(moment.view.now) != nullptr;
    decision.reason.rule = is_known ? GateRule::kPriceAboveThreshold : GateRule::kPriceMissing;
    decision.note = "threshold " + core::DescribePrice(*options_.threshold, known.identity());
    for (const core::PriceSample& sample : known.samples()) {
      if (sample.interval.begin <= moment.view.now || sample.per_kwh > *options_.threshold)
        continue;
      if (sample.interval.begin >= request.latest_start) break;
      decision.reason.start = sample.interval.begin;
      decision.note += ", " + core::DescribePrice(sample.per_kwh, known.identity()) + " from " +
                       FormatTime(sample.interval.begin);
      break;
    }
    return decision;
  }

  // Decides on the blended values, but reports the true ones.
  core::GateDecision OnBlend(const GateRequest& request, const GateMoment& moment,
                             const core::PriceSeries& known) const {
    const Time now = moment.view.now;
    const core::SignalView blended =
        BlendView(moment.view, known, options_.weight, std::min(request.submitted, now));
    core::GateDecision decision = inner_->Decide(request, {blended, moment.next_change});
    const core::GateDecision truth = DecisionAt(request, moment);
    decision.reason.current = truth.reason.current;
    decision.current_status = truth.current_status;
    const auto mean_from = [&](Time start) -> std::optional<Intensity> {
      const auto mean = moment.ahead.Mean({start, start + decision.judged});
      return mean ? std::optional(Intensity{*mean}) : std::nullopt;
    };
    if (decision.mean_if_now) decision.mean_if_now = mean_from(now);
    if (decision.reason.start) decision.reason.expected = mean_from(*decision.reason.start);
    if (decision.reason.rule == GateRule::kCleanestNow) decision.reason.rule = GateRule::kBestNow;
    if (decision.reason.rule == GateRule::kCleanerLater)
      decision.reason.rule = GateRule::kBetterLater;
    if (decision.reason.rule == GateRule::kSignalMissing && truth.reason.current && !known.At(now))
      decision.reason.rule = GateRule::kPriceMissing;
    decision.note = "weight " + FormatExact(options_.weight);
    if (decision.reason.rule == GateRule::kBetterLater && decision.reason.start) {
      const Time start = *decision.reason.start;
      if (const auto mean = known.Mean({start, start + decision.judged}))
        decision.note += ", " + core::DescribePrice(mean->per_kwh, known.identity()) +
                         " on average from " + FormatTime(start);
    }
    return decision;
  }

  std::unique_ptr<GatePolicy> inner_;
  PriceGateOptions options_;
};

}  // namespace

std::unique_ptr<GatePolicy> MakePriceAware(std::unique_ptr<GatePolicy> inner,
                                           PriceGateOptions options) {
  return std::make_unique<PriceAware>(std::move(inner), std::move(options));
}

}  // namespace ebb::plan
