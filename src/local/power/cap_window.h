#pragma once
// Speed and power of a program under one power limit, from readings and reports of progress. Pure:
// the same input gives the same result. Private to local/.
//
// The rate of progress is a ratio of sums over the window, from the first report in it to the last
// one. Its standard error comes from the scatter of the parts of the window around that rate: of
// single reports, or of ten groups of them if there are many, so that neighbours that depend on
// each other (bursts, slow phases) do not count as independent.
//
// After a gap between reports that is much longer than usual (an evaluation, a checkpoint) the
// window begins again, so that trials compare the same kind of work. A program that pauses again
// and again is measured with its pauses.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/power_choice.h"
#include "core/ledger/ledger.h"

namespace ebb::local {

/// A program's report of progress: the number of steps (or samples, or
/// tokens) done by `at`, on the wall clock.
struct ProgressMark {
  Time at{};
  double steps = 0;
};

class CapWindow {
 public:
  /// Counts what happened at `begin` or later.
  explicit CapWindow(Time begin);

  void Take(const core::EnergyReading& reading);
  void Take(const ProgressMark& mark);

  /// The measurement so far; nullopt without two reports of progress and a reading. Its cap is not
  /// set; gpu_power is the power of all GPUs.
  std::optional<core::CapTrial> Measured() const;
  std::size_t marks() const { return marks_.size(); }

  /// When the window began, or began again.
  Time begin() const { return begin_; }

 private:
  bool IsAfterPause(const ProgressMark& mark) const;

  struct Use {
    bool is_gpu = false;
    Energy energy;
    Interval wall;
  };

  Time begin_;
  std::map<std::string, Use> uses_;  // by device
  std::vector<ProgressMark> marks_;
  int pauses_left_;  // that begin the window again
};

}  // namespace ebb::local
