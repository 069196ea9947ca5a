#include "service/views/counters.h"

#include <algorithm>

#include "engine/state.h"

namespace ebb::service {
namespace {

bool WaitsForGrid(core::GateRule rule) {
  using enum core::GateRule;
  switch (rule) {
    case kAboveThreshold:
    case kCleanerLater:
    case kPlanned:
    case kPausedForCleaner:
    case kBetterLater:
    case kPriceAboveThreshold:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool JobMark::IsDelayed() const {
  return (stage == engine::Stage::kWaiting || stage == engine::Stage::kPaused) &&
         WaitsForGrid(rule);
}

const std::array<double, DurationCounts::kBounds>& DurationCounts::Bounds() {
  static const auto bounds = [] {
    std::array<double, kBounds> made{};
    for (std::size_t i = 0; i < kBounds; ++i) made[i] = 0.001 * static_cast<double>(1 << i);
    return made;
  }();
  return bounds;
}

void DurationCounts::Add(std::chrono::nanoseconds took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const auto& bounds = Bounds();
  ++counts[static_cast<std::size_t>(std::lower_bound(bounds.begin(), bounds.end(), seconds) -
                                    bounds.begin())];
  sum_s += seconds;
}

void Counters::Follow(const JobMark& before, const JobMark& after) {
  if (after.attempt > before.attempt) starts[after.rule] += after.attempt - before.attempt;
  if (after.pauses > before.pauses) pauses += after.pauses - before.pauses;
  if (after.IsDelayed() && !before.IsDelayed()) ++carbon_delays;
  if (!engine::HasEnded(after.stage) || engine::HasEnded(before.stage)) return;
  succeeded += after.stage == engine::Stage::kSucceeded;
  failed += after.stage == engine::Stage::kFailed;
  cancelled += after.stage == engine::Stage::kCancelled;
}

void Counters::AddBudgetReached(const core::BudgetEvent& event, const std::string& tier) {
  constexpr std::size_t kMostKinds = 300;
  const Budgets kind{tier, event.measure, event.action};
  if (budgets_reached.contains(kind) || budgets_reached.size() < kMostKinds)
    ++budgets_reached[kind];
  else
    ++budgets_reached[{"other", event.measure, event.action}];
}

void Counters::Machine::Add(const core::MachineShares& shares) {
  jobs += shares.jobs;
  idle += shares.idle;
  unattributed += shares.unattributed;
}

void Counters::AddRow(const core::LedgerRow& row) {
  energy[static_cast<std::size_t>(row.component)] += row.energy;
  if (const auto grams = row.emissions())
    emissions += *grams;
  else
    energy_without_intensity += row.energy;
}

}  // namespace ebb::service
