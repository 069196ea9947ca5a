#pragma once
// The longest time with enough free devices that begins in each step of time, for one pool. The
// search asks it in which steps a window of some length may begin, without a look at the thousands
// of pieces of a long queue's profile. A change of the profile costs a look at the steps around it.

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "plan/problem/capacity_profile.h"

namespace ebb::plan {

class RoomsByStep {
 public:
  /// The steps are those of the prices. A last one without an end follows them.
  RoomsByStep(Time begin, Duration step, std::size_t steps)
      : begin_(begin), step_(step), steps_(steps) {}

  /// Milliseconds by step, as floating-point numbers for loops over many; 0: too few devices are
  /// free. Valid until the next question.
  const std::vector<double>& Longest(const CapacityProfile& profile, int width);
  /// To be called after every change of the profile.
  void Update(const CapacityProfile& profile, Interval changed);
  /// To be called if the profile changed altogether.
  void Clear() { rows_.clear(); }

 private:
  struct Row {
    int width = 0;
    std::vector<double> longest;
    std::vector<double> ahead;  ///< free time from the begin of each step on
  };

  std::size_t StepAt(Time time) const;
  Time EdgeAt(std::size_t step) const;
  void UpdateRow(const CapacityProfile& profile, Interval changed, Row& row) const;
  void Look(const CapacityProfile& profile, std::size_t step, std::size_t& piece, Row& row) const;

  Time begin_;
  Duration step_;
  std::size_t steps_;
  std::vector<Row> rows_;  ///< of the widths asked for so far
};

}  // namespace ebb::plan
