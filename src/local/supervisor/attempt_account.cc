#include "local/supervisor/attempt_account.h"

#include <algorithm>
#include <tuple>

#include "runtime/believed_at.h"

namespace ebb::local {
namespace {

// A running service may take this long to learn of a new value.
constexpr Duration kLongestWait{std::chrono::seconds{30}};

}  // namespace

AttemptAccount::AttemptAccount(AccountOptions options)
    : options_(std::move(options)),
      accountant_(options_.feed, options_.clock, options_.attempt, options_.pue) {
  if (options_.budget) budget_.emplace(*options_.budget);
}

void AttemptAccount::Begin(Time wall) {
  begun_since_boot_ = options_.clock.wall().SinceBoot();
  watch_.emplace(options_.clock.wall(), runtime::ClockWatchOptions(), wall, begun_since_boot_);
  begun_.number = options_.attempt;
  begun_.wall = {wall, wall};
  begun_.grid = options_.clock.ToGrid(begun_.wall);
  if (options_.observer) std::ignore = options_.observer->OnBegin(begun_);
}

bool AttemptAccount::IsKnownAt(Time wall) const {
  const Time grid = accountant_.ToGrid(wall);
  return runtime::BelievedAt(options_.feed, grid - Duration{1}).has_value();
}

// Accounts in order: readings after one that waits must wait too.
void AttemptAccount::Account(bool all) {
  const Duration now = options_.clock.wall().SinceBoot();
  for (core::EnergyReading& reading : queue_.Take()) waiting_.push_back({std::move(reading), now});
  std::vector<core::EnergyReading> known;
  for (; !waiting_.empty(); waiting_.pop_front()) {
    Waiting& next = waiting_.front();
    const bool too_old = next.since_boot <= now - kLongestWait;
    if (!all && !too_old && !IsKnownAt(next.reading.wall.end)) break;
    known.push_back(std::move(next.reading));
  }
  const std::vector<core::LedgerRow> rows = accountant_.Add(known);
  if (options_.observer && !rows.empty()) std::ignore = options_.observer->OnRows(rows);
}

runtime::BudgetSample AttemptAccount::SampleNow() const {
  runtime::BudgetSample sample = BudgetSampleOf(accountant_, options_.clock, begun_.wall.begin);
  if (waiting_.empty()) return sample;
  Energy energy;
  for (const Waiting& waiting : waiting_) energy += waiting.reading.energy;
  const Energy facility = Energy::Joules(energy.joules() * options_.pue.ratio);
  sample.used.energy += facility;
  sample.used.without_intensity += facility;
  sample.wall = waiting_.back().reading.wall.end;
  sample.grid = accountant_.ToGrid(sample.wall);
  const double seconds = Seconds(sample.wall - waiting_.front().reading.wall.begin);
  if (seconds > 0) sample.power.watts = std::max(sample.power.watts, energy.joules() / seconds);
  return sample;
}

runtime::BudgetOrder AttemptAccount::Tick() {
  if (const auto step = watch_ ? watch_->TakeStep() : std::nullopt)
    accountant_.FollowClock(step->to - step->from);
  options_.observed.KeepUp(options_.clock.Now());
  Account(false);
  if (options_.observer) {
    const Duration ran = options_.clock.wall().SinceBoot() - begun_since_boot_;
    std::ignore = options_.observer->OnTick(
        {ran, accountant_.energy(), accountant_.emissions(), accountant_.power()});
  }
  if (!budget_ || (!accountant_.measured_until() && waiting_.empty()))
    return runtime::BudgetOrder::kNone;
  const runtime::BudgetStep step = budget_->Look(SampleNow(), options_.clock);
  if (options_.observer)
    for (const core::BudgetEvent& event : step.events) options_.observer->OnBudget(event);
  return step.order;
}

void AttemptAccount::Finish() {
  options_.observed.KeepUp(options_.clock.Now());
  Account(true);
  const std::vector<core::LedgerRow> rows = accountant_.Flush();
  if (options_.observer && !rows.empty()) std::ignore = options_.observer->OnRows(rows);
}

}  // namespace ebb::local
