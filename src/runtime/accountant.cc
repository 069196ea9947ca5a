#include "runtime/accountant.h"

#include <algorithm>
#include <utility>

#include "runtime/believed_at.h"

namespace ebb::runtime {
namespace {

constexpr Duration kLongestRow{60'000};

// The longest time that one row may cover once the attempt has lasted `elapsed`.
Duration RowLimit(Duration elapsed) { return std::min(elapsed / 1000, kLongestRow); }

// A source that cannot be read gives an empty series: the energy is kept, and its emissions stay
// unknown.
core::IntensitySeries BelievedOrNothing(SignalFeed& feed, Interval grid) {
  auto settled = feed.Believed({grid.begin, std::max(grid.end, grid.begin + Duration{1})});
  if (settled) return *std::move(settled);
  return *core::IntensitySeries::Create(feed.identity(), {});
}

}  // namespace

Accountant::Accountant(SignalFeed& feed, const GridClock& clock, int attempt, Pue pue,
                       SignalFeed* other_feed)
    : feed_(feed), other_feed_(other_feed), clock_(clock), attempt_(attempt), pue_(pue) {}

std::vector<core::LedgerRow> Accountant::Add(std::span<const core::EnergyReading> readings) {
  std::vector<core::LedgerRow> rows;
  if (!Awaits()) AccountHeld(rows);
  for (const core::EnergyReading& reading : readings) {
    Device& device = devices_[reading.device];
    first_begin_ = std::min(first_begin_, reading.wall.begin);
    last_end_ = std::max(last_end_, reading.wall.end);
    energy_ += reading.energy;
    if (const double seconds = Seconds(reading.wall.length()); seconds > 0)
      device.latest = {reading.energy.joules() / seconds};
    if (device.has_pending && MustCloseBefore(device.pending, reading)) Close(device, rows);
    if (device.has_pending) {
      device.pending.wall.end = reading.wall.end;
      device.pending.energy += reading.energy;
    } else {
      device.pending = reading;
      device.has_pending = true;
    }
    if (device.pending.wall.length() >= RowLimit(reading.wall.end - first_begin_))
      Close(device, rows);
  }
  return rows;
}

std::vector<core::LedgerRow> Accountant::Flush() {
  feed_.AwaitFirstAnswer();
  if (other_feed_) other_feed_->AwaitFirstAnswer();
  std::vector<core::LedgerRow> rows;
  AccountHeld(rows);
  for (auto& [name, device] : devices_)
    if (std::exchange(device.has_pending, false)) Account(device.pending, rows);
  return rows;
}

Power Accountant::power() const {
  Power sum;
  for (const auto& [name, device] : devices_) sum.watts += device.latest.watts;
  return sum;
}

std::optional<Power> Accountant::power_of(const std::string& device) const {
  const auto found = devices_.find(device);
  if (found == devices_.end()) return std::nullopt;
  return found->second.latest;
}

bool Accountant::MustCloseBefore(const core::EnergyReading& pending,
                                 const core::EnergyReading& next) const {
  if (pending.wall.end != next.wall.begin || pending.source != next.source ||
      pending.shared != next.shared)
    return true;
  const Time begin = ToGrid(pending.wall.begin);
  const Time end = ToGrid(next.wall.end);
  return feed_.NextChange(begin) < end || (other_feed_ && other_feed_->NextChange(begin) < end);
}

void Accountant::Close(Device& device, std::vector<core::LedgerRow>& rows) {
  device.has_pending = false;
  // Rows come out in the order of their ends, so a row that is held back holds back the rows after
  // it.
  if (!held_.empty() || Awaits())
    held_.push_back(device.pending);
  else
    Account(device.pending, rows);
}

bool Accountant::Awaits() const {
  return feed_.AwaitsFirstAnswer() || (other_feed_ && other_feed_->AwaitsFirstAnswer());
}

void Accountant::AccountHeld(std::vector<core::LedgerRow>& rows) {
  for (const core::EnergyReading& reading : std::exchange(held_, {})) Account(reading, rows);
}

void Accountant::Account(const core::EnergyReading& reading, std::vector<core::LedgerRow>& rows) {
  const std::vector<core::LedgerRow> closed = RowsOf(reading);
  closed_use_ += core::UseOf(closed);
  for (const core::LedgerRow& row : closed) {
    if (const auto emissions = row.emissions()) emissions_ += *emissions;
    rows.push_back(row);
  }
}

std::vector<core::LedgerRow> Accountant::RowsOf(const core::EnergyReading& reading) const {
  const Interval grid = ToGrid(reading.wall);
  const core::IntensitySeries signal = BelievedOrNothing(feed_, grid);
  if (!other_feed_) return core::MakeRows(reading, grid, attempt_, pue_, signal);
  const core::IntensitySeries other = BelievedOrNothing(*other_feed_, grid);
  return core::MakeRows(reading, grid, attempt_, pue_, signal, &other);
}

core::BudgetUse Accountant::use() const {
  core::BudgetUse use = closed_use_;
  for (const auto& [name, device] : devices_)
    if (device.has_pending) use += core::UseOf(RowsOf(device.pending));
  for (const core::EnergyReading& reading : held_) use += core::UseOf(RowsOf(reading));
  return use;
}

std::optional<Intensity> Accountant::latest_intensity() const {
  if (!measured_until()) return std::nullopt;
  const Time now = ToGrid(Interval{last_end_, last_end_}).begin;
  return BelievedAt(feed_, now - Duration{1});
}

std::optional<Time> Accountant::measured_until() const {
  return first_begin_ == Time::max() ? std::nullopt : std::optional(last_end_);
}

}  // namespace ebb::runtime
