#pragma once
// A history as whole hours, each with the typical day as it was known then. An hour without a value
// gets the typical value plus the fading last deviation, so that a short gap does not stop a
// forecast. Such hours are marked, and long gaps keep their hours out of fits. Every number depends
// only on earlier values, so a longer grid has the same beginning. Pure.

#include <cstddef>
#include <span>
#include <vector>

#include "core/signal/intensity.h"
#include "forecast/typical_days.h"

namespace ebb::forecast {

class HourlyGrid {
 public:
  /// Takes in the samples after those it has seen. If samples have changed, the grid forgets the
  /// first changed one and everything after it. Returns how many of the first hours stayed as they
  /// were.
  std::size_t Extend(std::span<const core::Sample> known);

  std::size_t size() const { return days_.size(); }
  const TypicalDays& days() const { return days_; }
  /// Number of whole hours that `known` covers; at most size() after Extend(known).
  std::size_t HoursIn(std::span<const core::Sample> known) const;
  Time BeginOf(std::size_t hour) const;
  /// Index of the first hour that begins at or after `time`.
  std::size_t FirstAtOrAfter(Time time) const;
  double value(std::size_t hour) const { return days_.value(hour); }
  /// True if the hour has a value of its own, false if it was filled in.
  bool IsKnown(std::size_t hour) const { return filling_[hour].missing_run == 0; }
  /// The exponentially weighted mean of this hour of the day, including this day's value.
  double typical(std::size_t hour) const { return days_.typical(hour); }
  /// Number of hours before `hour` that lie deep in a gap.
  std::size_t UnknownBefore(std::size_t hour) const { return unknown_before_[hour]; }

 private:
  void Append(double weighted_sum, Duration covered);
  void Forget(std::size_t samples);

  /// State of gap filling after an hour.
  struct Filling {
    double deviation = 0;
    std::size_t missing_run = 0;
  };

  std::vector<core::Sample> seen_;
  std::size_t next_sample_ = 0;  ///< index of the first sample that reaches beyond the grid
  TypicalDays days_;
  std::vector<std::size_t> unknown_before_{0};
  std::vector<Filling> filling_;
};

}  // namespace ebb::forecast
