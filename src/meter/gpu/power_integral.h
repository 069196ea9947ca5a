#pragma once
// Energy from power readings: the trapezoid rule over distinct readings. A sensor that is asked
// more often than it measures repeats itself; repetitions within a quarter of a second are taken
// for one measurement, because counting them would lag behind every change (Yang, Adamek, Armour:
// "Part-time Power Measurements", SC24, arXiv 2312.02741).

#include "meter/meter.h"

namespace ebb::meter {

class PowerIntegral {
 public:
  void Reading(Instant now, double watts);
  /// The sensor did not answer: what follows, up to the next reading, is unknown and left out.
  void Missing();
  /// Joules since the previous Take, at least 0. Until the next distinct reading the power is
  /// taken to stay; the difference this makes is settled with the next Take.
  double Take(Instant now);
  bool has_reading() const { return has_reading_; }

 private:
  void AddUntil(Instant time, double mean_watts);

  bool has_reading_ = false;
  Instant measured_{};  ///< when the last distinct reading was first seen
  Instant last_seen_{};
  double watts_ = 0;
  double joules_ = 0;  ///< up to measured_
  double taken_joules_ = 0;
};

}  // namespace ebb::meter
