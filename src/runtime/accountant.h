#pragma once
// Turns meter readings into ledger rows: maps them onto the grid clock, joins them with the signal
// that the decisions also used, and keeps the ledger small. Neighbouring readings of a device
// become one row while the row covers at most 0.1 % of the attempt so far (at least one reading, at
// most a minute) and one value of the signal, so a ledger grows with the logarithm of the run time
// and a kill -9 loses at most 0.1 % of what was measured. A source that another thread asks may not
// have answered yet. Readings from before its first answer become rows when the answer comes, some
// seconds later, or when the wait for it ends.
//
// Thread contract: one thread. Rows come out in the order of their ends; per device without gaps or
// overlap.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ledger/budget.h"
#include "core/ledger/ledger.h"
#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"

namespace ebb::runtime {

class Accountant {
 public:
  /// The feeds and the clock must outlive the accountant. `other_feed` is a signal of the other
  /// kind, which every row also holds; nullptr for none.
  Accountant(SignalFeed& feed, const GridClock& clock, int attempt, Pue pue,
             SignalFeed* other_feed = nullptr);

  /// Takes new readings and returns the rows that are complete.
  std::vector<core::LedgerRow> Add(std::span<const core::EnergyReading> readings);
  /// Notes that the clock of the readings is behind by `by` more than before (ahead if negative).
  /// From now on readings are mapped onto the grid by the corrected clock. Their own times stay as
  /// they were measured.
  void FollowClock(Duration by) { behind_ += by; }
  /// The grid time of a reading's time.
  Time ToGrid(Time wall) const { return clock_.ToGrid(wall + behind_); }
  Interval ToGrid(Interval wall) const { return {ToGrid(wall.begin), ToGrid(wall.end)}; }
  /// Completes everything that is pending, e.g. at the end of an attempt; waits for the first
  /// answer of the source if it has not come yet.
  std::vector<core::LedgerRow> Flush();

  /// Energy of all readings added so far, pending ones included.
  Energy energy() const { return energy_; }
  /// Emissions of completed rows with known intensity.
  Emissions emissions() const { return emissions_; }
  /// Power in the latest reading of each device, summed over the devices.
  Power power() const;
  /// The same of one device; nullopt before its first reading.
  std::optional<Power> power_of(const std::string& device) const;
  /// Use of all readings added so far, as a budget counts it.
  core::BudgetUse use() const;
  /// Intensity at the end of the latest reading; nullopt if unknown.
  std::optional<Intensity> latest_intensity() const;
  /// End of the latest reading in wall time; nullopt before the first reading.
  std::optional<Time> measured_until() const;

 private:
  struct Device {
    core::EnergyReading pending;
    bool has_pending = false;
    Power latest;
  };
  bool MustCloseBefore(const core::EnergyReading& pending, const core::EnergyReading& next) const;
  void Close(Device& device, std::vector<core::LedgerRow>& rows);
  void Account(const core::EnergyReading& reading, std::vector<core::LedgerRow>& rows);
  bool Awaits() const;
  void AccountHeld(std::vector<core::LedgerRow>& rows);
  std::vector<core::LedgerRow> RowsOf(const core::EnergyReading& reading) const;

  SignalFeed& feed_;
  SignalFeed* other_feed_;
  const GridClock& clock_;
  int attempt_;
  Pue pue_;
  Duration behind_{};
  std::map<std::string, Device> devices_;
  /// Readings that wait only for the first answer of the source.
  std::vector<core::EnergyReading> held_;
  Time first_begin_ = Time::max();
  Time last_end_ = Time::min();
  core::BudgetUse closed_use_;
  Energy energy_;
  Emissions emissions_;
};

}  // namespace ebb::runtime
