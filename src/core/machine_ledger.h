#pragma once
// What a machine used while a service ran on it, and whose it was. The service reads the machine's
// counters, and the supervisor of each job reads them at other moments; what both say is brought
// together by device and interval, so that
//
//   jobs + idle + unattributed = machine      to the microjoule.
//
// What jobs used comes out of what the machine's own reading calls unattributed (to it, jobs are
// somebody else's programs), then out of what it calls idle. Where jobs come to more than the
// machine in an interval, since they were read later or their rows came late, the excess counts in
// the next ones. Times at which the machine was not read are in no account.
//
// Pure.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/ledger.h"

namespace ebb::core {

/// One device over one interval, wall time.
struct MachineShares {
  std::string device;  ///< "cpu:package-0", "ram", "gpu:GPU-1234..."
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kModel;
  Interval wall;
  Energy jobs, idle, unattributed;

  Energy machine() const { return jobs + idle + unattributed; }
  /// Takes in the interval that follows.
  void Join(const MachineShares& next);
};

/// The same cut at full hours; the parts add up to the microjoule.
std::vector<MachineShares> CutAtHours(const MachineShares& shares);

class MachineLedger {
 public:
  /// Intervals of a device follow each other. `jobs` of it are not known yet: 0.
  void AddMachine(MachineShares reading);
  void AddJob(const LedgerRow& row);
  /// What ended by `upto` and is settled with that: rows of jobs that come later count in later
  /// intervals.
  std::vector<MachineShares> Close(Time upto);
  /// Energy of jobs, in intervals at which the machine was read, that is in no account yet.
  Energy excess() const;

 private:
  struct Device {
    std::deque<MachineShares> open;
    std::vector<LedgerRow> rows;  // that reach beyond what is closed
    std::deque<Interval> closed;  // the latest, for rows that come late
    Energy excess;
  };
  void TakeLate(const LedgerRow& row, Device& device);
  void CloseFirst(Device& device, std::vector<MachineShares>& closed);

  std::map<std::string, Device> devices_;
};

}  // namespace ebb::core
