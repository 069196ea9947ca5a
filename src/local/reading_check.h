#pragma once
// Which readings of an energy file are believed. The program that is measured runs as the same user
// as its supervisor and can write to the file, so a line may be a forgery: an energy that no device
// can have used in that time, a negative one, one of a time that is over or still to come. Such a
// line is not counted, and said: the energy of that time is unknown.
//
// Bounds, each above what is built today: 20 kW for a machine (a server with eight B200 draws 14.3
// kW at most, NVIDIA DGX B200 data sheet), and a second more than the reading's own time, because
// counters are updated in steps.
//
// A forgery within these bounds is not found: docs/operating.md, Who trusts whom.
//
// Pure. One per attempt.

#include <map>
#include <optional>
#include <string>

#include "core/ledger.h"

namespace ebb::local {

class ReadingCheck {
 public:
  /// Why the reading is not believed; empty: it is, and counts for those that follow. `begin`: of
  /// the attempt; `now`: both on the clock of the readings; nothing: not known.
  std::string WhyNot(const core::EnergyReading& reading, std::optional<Time> begin,
                     std::optional<Time> now);

 private:
  std::map<std::string, Time> measured_until_;  // by device
  double believed_joules_ = 0;
  std::optional<Time> first_;
};

}  // namespace ebb::local
