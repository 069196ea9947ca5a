#pragma once
// Energy from power readings: the trapezoid rule over distinct readings. A sensor that is asked
// more often than it measures repeats its value. Repetitions within a quarter of a second count as
// one measurement, because counting each would lag behind every change (Yang, Adamek, Armour:
// "Part-time Power Measurements", SC24, arXiv 2312.02741).

#include "meter/meter.h"

namespace ebb::meter {

class PowerIntegral {
 public:
  void Reading(Instant now, double watts);
  /// Notes that the sensor did not answer: the power from now to the next reading is unknown and
  /// left out.
  void Missing();
  /// Joules since the previous Take; never negative. The integral assumes that the power stays the
  /// same until the next distinct reading; the next Take corrects the difference.
  double Take(Instant now);
  bool has_reading() const { return has_reading_; }

 private:
  void AddUntil(Instant time, double mean_watts);

  bool has_reading_ = false;
  Instant measured_{};  ///< time at which the last distinct reading was first seen
  Instant last_seen_{};
  double watts_ = 0;
  double joules_ = 0;  ///< energy up to measured_
  double taken_joules_ = 0;
};

}  // namespace ebb::meter
