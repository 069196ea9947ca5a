#include "local/attempt_account.h"

#include <algorithm>
#include <tuple>

namespace ebb::local {
namespace {

// As long as a service that runs may take to learn of a new value.
constexpr Duration kLongestWait{std::chrono::seconds{30}};

Time WallNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

}  // namespace

AttemptAccount::AttemptAccount(AccountOptions options)
    : options_(std::move(options)),
      accountant_(options_.feed, options_.clock, options_.attempt, options_.pue) {
  if (options_.budget) budget_.emplace(*options_.budget);
}

void AttemptAccount::Begin(Time wall) {
  begun_.number = options_.attempt;
  begun_.wall = {wall, wall};
  begun_.grid = options_.clock.ToGrid(begun_.wall);
  if (options_.observer) std::ignore = options_.observer->OnBegin(begun_);
}

void AttemptAccount::KeepUp() {
  const Time now = options_.clock.Now();
  if (now < next_observation_) return;
  std::ignore = options_.feed.Observe(now, Duration::zero());
  next_observation_ = options_.feed.NextChange(now);
}

bool AttemptAccount::IsKnownAt(Time wall) const {
  const Time grid = options_.clock.ToGrid(wall);
  const auto settled = options_.feed.Settled({grid - Duration{1}, grid});
  return settled && settled->At(grid - Duration{1});
}

// In order: what comes after a reading that waits waits, too.
void AttemptAccount::Account(bool all) {
  for (core::EnergyReading& reading : queue_.Take()) waiting_.push_back(std::move(reading));
  const Time too_old = WallNow() - kLongestWait;
  const auto rest = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& reading) {
    return !all && reading.wall.end > too_old && !IsKnownAt(reading.wall.end);
  });
  const std::vector<core::LedgerRow> rows =
      accountant_.Add({waiting_.begin(), static_cast<std::size_t>(rest - waiting_.begin())});
  waiting_.erase(waiting_.begin(), rest);
  if (options_.observer && !rows.empty()) std::ignore = options_.observer->OnRows(rows);
}

runtime::BudgetSample AttemptAccount::SampleNow() const {
  runtime::BudgetSample sample = BudgetSampleOf(accountant_, options_.clock, begun_.wall.begin);
  if (waiting_.empty()) return sample;
  Energy energy;
  for (const core::EnergyReading& reading : waiting_) energy += reading.energy;
  const Energy facility = Energy::Joules(energy.joules() * options_.pue.ratio);
  sample.used.energy += facility;
  sample.used.without_intensity += facility;
  sample.wall = waiting_.back().wall.end;
  sample.grid = options_.clock.ToGrid(sample.wall);
  const double seconds = Seconds(sample.wall - waiting_.front().wall.begin);
  if (seconds > 0) sample.power.watts = std::max(sample.power.watts, energy.joules() / seconds);
  return sample;
}

runtime::BudgetOrder AttemptAccount::Tick() {
  KeepUp();
  Account(false);
  if (options_.observer) {
    std::ignore = options_.observer->OnTick({WallNow() - begun_.wall.begin, accountant_.energy(),
                                             accountant_.emissions(), accountant_.power()});
  }
  if (!budget_ || (!accountant_.measured_until() && waiting_.empty()))
    return runtime::BudgetOrder::kNone;
  const runtime::BudgetStep step = budget_->Look(SampleNow(), options_.clock, WallNow());
  if (options_.observer)
    for (const core::BudgetEvent& event : step.events) options_.observer->OnBudget(event);
  return step.order;
}

void AttemptAccount::Finish() {
  KeepUp();
  Account(true);
  const std::vector<core::LedgerRow> rows = accountant_.Flush();
  if (options_.observer && !rows.empty()) std::ignore = options_.observer->OnRows(rows);
}

}  // namespace ebb::local
