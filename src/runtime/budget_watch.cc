#include "runtime/budget_watch.h"

#include <algorithm>
#include <utility>

namespace ebb::runtime {
namespace {

using core::BudgetAction;
using core::BudgetEvent;
using core::BudgetLevel;
using core::BudgetMeasure;

constexpr double kWarningShare = 0.8;
constexpr double kMostGraceShare = 0.1;

// Use in kWh or g per second if the run goes on as now. At an unknown intensity, emissions are
// expected at the highest intensity that the run has met, as its budget counts them.
double RatePerSecond(BudgetMeasure measure, const BudgetSample& sample, const core::BudgetUse& used,
                     Pue pue) {
  const double kwh = sample.power.watts * pue.ratio / 3.6e6;
  if (measure == BudgetMeasure::kEnergy) return kwh;
  const auto intensity = sample.intensity ? sample.intensity : used.highest;
  return intensity ? kwh * intensity->g_per_kwh : 0;
}

}  // namespace

BudgetWatch::BudgetWatch(Terms terms) : terms_(std::move(terms)) {}

BudgetStep BudgetWatch::OnSample(const BudgetSample& sample) {
  latest_ = sample;
  BudgetStep step;
  for (const BudgetMeasure measure : {BudgetMeasure::kEnergy, BudgetMeasure::kEmissions})
    if (terms_.budget.Limit(measure)) Look(measure, sample, step);
  return step;
}

void BudgetWatch::Look(BudgetMeasure measure, const BudgetSample& sample, BudgetStep& step) {
  core::BudgetUse use = terms_.used_before;
  use += sample.used;
  const auto used = use.Of(measure);
  if (!used) {
    Fire(Event(measure, BudgetLevel::kUnwatched), step);
    return;
  }
  const core::Budget& budget = terms_.budget;
  const double limit = *budget.Limit(measure);
  const bool acts = budget.action != BudgetAction::kLog;
  const double rate = RatePerSecond(measure, sample, use, terms_.pue);
  BudgetEvent event = Event(measure, BudgetLevel::kWarning);
  event.used = *used;
  if (acts)
    event.expected = rate * Seconds(terms_.sample_interval) +
                     std::min(rate * Seconds(budget.grace), kMostGraceShare * limit);
  const bool reached = *used + event.expected >= limit;
  if (!reached && *used >= kWarningShare * limit) Fire(event, step);
  event.level = BudgetLevel::kReached;
  if (!reached || !acts) {
    if (reached) Fire(event, step);
    return;
  }
  bool& reached_now = reached_now_[static_cast<std::size_t>(measure)];
  if (Fire(event, step)) {
    reached_now = true;
    if (!asked_at_) {
      asked_at_ = sample.since_boot;
      asked_for_ = measure;
      step.order = std::max(step.order, BudgetOrder::kAskToEnd);
    }
  }
  if (reached_now && !killed_ && *used >= limit) Kill(event, step);
}

void BudgetWatch::Kill(BudgetEvent event, BudgetStep& step) {
  event.level = BudgetLevel::kKilled;
  Fire(event, step);
  killed_ = true;
  step.order = BudgetOrder::kKill;
}

BudgetStep BudgetWatch::OnTime(Duration since_boot, Time now, Time grid_now) {
  BudgetStep step;
  if (!asked_at_ || killed_ || since_boot < *asked_at_ + terms_.budget.grace) return step;
  BudgetEvent event = Event(asked_for_, BudgetLevel::kKilled);
  core::BudgetUse use = terms_.used_before;
  use += latest_.used;
  event.used = use.Of(asked_for_).value_or(0);
  event.wall = now;
  event.grid = grid_now;
  Kill(event, step);
  return step;
}

BudgetEvent BudgetWatch::Event(BudgetMeasure measure, BudgetLevel level) const {
  BudgetEvent event;
  event.level = level;
  event.measure = measure;
  event.action = terms_.budget.action;
  event.attempt = terms_.attempt;
  event.wall = latest_.wall;
  event.grid = latest_.grid;
  event.limit = terms_.budget.Limit(measure).value_or(0);
  return event;
}

// A limit that stops the run holds in all attempts: an attempt that is started although an earlier
// one met the limit is stopped as well. It gets an event of its own, because its end needs an
// explanation too.
bool BudgetWatch::HasFired(const BudgetEvent& event) const {
  const bool stops = event.action == BudgetAction::kStop &&
                     (event.level == BudgetLevel::kReached || event.level == BudgetLevel::kKilled);
  return std::any_of(terms_.fired.begin(), terms_.fired.end(), [&](const BudgetEvent& other) {
    return other.measure == event.measure && other.level == event.level &&
           other.limit == event.limit && (!stops || other.attempt == event.attempt);
  });
}

bool BudgetWatch::Fire(const BudgetEvent& event, BudgetStep& step) {
  if (HasFired(event)) return false;
  terms_.fired.push_back(event);
  step.events.push_back(event);
  return true;
}

}  // namespace ebb::runtime
