#pragma once
// Accounts for a machine's energy while a service runs on it: which part belongs to jobs. The
// service reads the machine's counters, and the supervisor of each job reads them at other moments.
// The ledger brings both together by device and interval, so that
//
//   jobs + idle + unattributed = machine      to the microjoule.
//
// The energy of jobs comes out of the unattributed part of the machine's own reading (for that
// reading, jobs are other programs), then out of its idle part. If jobs have more energy than the
// machine in an interval, because they were read later or their rows came late, the excess counts
// in the next intervals. Times at which the machine was not read are not accounted.
//
// Pure.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/ledger/ledger.h"

namespace ebb::core {

/// The shares of one device over one interval, wall time.
struct MachineShares {
  std::string device;  ///< "cpu:package-0", "ram", "gpu:GPU-1234..."
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kModel;
  Interval wall;
  Energy jobs, idle, unattributed;

  Energy machine() const { return jobs + idle + unattributed; }
  /// Joins the interval that follows.
  void Join(const MachineShares& next);
};

/// The shares cut at full hours; the parts add up to the microjoule.
std::vector<MachineShares> CutAtHours(const MachineShares& shares);

class MachineLedger {
 public:
  /// Adds a reading. The intervals of a device follow each other. `reading.jobs` must be 0, because
  /// the jobs' part is not known yet.
  void AddMachine(MachineShares reading);
  void AddJob(const LedgerRow& row);
  /// Closes and returns the intervals that end by `upto`. Rows of jobs that come later count in
  /// later intervals.
  std::vector<MachineShares> Close(Time upto);
  /// Energy of jobs in intervals at which the machine was read, as far as no interval accounts for
  /// it yet.
  Energy excess() const;

 private:
  struct Device {
    std::deque<MachineShares> open;
    std::vector<LedgerRow> rows;  // rows that reach beyond the closed intervals
    std::deque<Interval> closed;  // the latest closed intervals, for rows that come late
    Energy excess;
  };
  void TakeLate(const LedgerRow& row, Device& device);
  void CloseFirst(Device& device, std::vector<MachineShares>& closed);

  std::map<std::string, Device> devices_;
};

}  // namespace ebb::core
