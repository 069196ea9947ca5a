#include "core/ledger/machine_ledger.h"

#include <algorithm>

namespace ebb::core {
namespace {

// Rows of jobs, and readings of a machine that is read seldom, are late by at most this much.
constexpr Duration kRemembered{std::chrono::hours{2}};

// The row's energy within the interval. Parts of intervals that follow each other add up to the
// row; the row of an instant belongs to the interval that it ends or lies in.
Energy PartOf(const LedgerRow& row, Interval interval) {
  if (row.wall.length() > Duration::zero()) return Share(row.energy, row.wall, interval);
  const Time at = row.wall.begin;
  return interval.begin < at && at <= interval.end ? row.energy : Energy{};
}

}  // namespace

void MachineShares::Join(const MachineShares& next) {
  wall.end = next.wall.end;
  jobs += next.jobs;
  idle += next.idle;
  unattributed += next.unattributed;
}

std::vector<MachineShares> CutAtHours(const MachineShares& shares) {
  std::vector<MachineShares> parts;
  for (Time begin = shares.wall.begin; begin < shares.wall.end;) {
    const Time next = std::chrono::floor<std::chrono::hours>(begin) + std::chrono::hours{1};
    MachineShares part = shares;
    part.wall = {begin, std::min(next, shares.wall.end)};
    part.jobs = Share(shares.jobs, shares.wall, part.wall);
    part.idle = Share(shares.idle, shares.wall, part.wall);
    part.unattributed = Share(shares.unattributed, shares.wall, part.wall);
    begin = part.wall.end;
    parts.push_back(std::move(part));
  }
  return parts;
}

void MachineLedger::AddMachine(MachineShares reading) {
  Device& device = devices_[reading.device];
  // The meter gives idle and unattributed energy of an interval one after the other.
  if (!device.open.empty() && device.open.back().wall == reading.wall) {
    device.open.back().idle += reading.idle;
    device.open.back().unattributed += reading.unattributed;
    return;
  }
  device.open.push_back(std::move(reading));
}

void MachineLedger::AddJob(const LedgerRow& row) {
  Device& device = devices_[row.device];
  TakeLate(row, device);
  if (device.closed.empty() || row.wall.end > device.closed.back().end) device.rows.push_back(row);
}

void MachineLedger::TakeLate(const LedgerRow& row, Device& device) {
  for (const Interval& closed : device.closed) device.excess += PartOf(row, closed);
}

void MachineLedger::CloseFirst(Device& device, std::vector<MachineShares>& closed) {
  MachineShares shares = std::move(device.open.front());
  device.open.pop_front();
  Energy due = std::exchange(device.excess, Energy{});
  for (const LedgerRow& row : device.rows) due += PartOf(row, shares.wall);
  const Energy whole = shares.machine();
  shares.jobs = std::min(due, whole);
  device.excess = due - shares.jobs;
  shares.unattributed = std::max(Energy{}, shares.unattributed - shares.jobs);
  shares.idle = whole - shares.jobs - shares.unattributed;
  device.closed.push_back(shares.wall);
  closed.push_back(std::move(shares));
}

std::vector<MachineShares> MachineLedger::Close(Time upto) {
  std::vector<MachineShares> closed;
  for (auto& [name, device] : devices_) {
    while (!device.open.empty() && device.open.front().wall.end <= upto) CloseFirst(device, closed);
    const Time forgotten = upto - kRemembered;
    const Time frontier = device.closed.empty() ? forgotten : device.closed.back().end;
    std::erase_if(device.rows, [&](const LedgerRow& row) {
      return row.wall.end <= std::max(frontier, forgotten);
    });
    while (!device.closed.empty() && device.closed.front().end < forgotten)
      device.closed.pop_front();
  }
  return closed;
}

Energy MachineLedger::excess() const {
  Energy sum;
  for (const auto& [name, device] : devices_) sum += device.excess;
  return sum;
}

}  // namespace ebb::core
