#pragma once
// Decides which readings of an energy file are plausible. The program that is measured runs as the
// same user as its supervisor and can write to the file, so a line may be a forgery: an energy that
// no device can have used in that time, a negative one, or one of a time that was counted already
// or has not come yet. Such a line is reported and not counted: the energy of that time is unknown.
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

#include "core/ledger/ledger.h"

namespace ebb::local {

class ReadingCheck {
 public:
  /// The reason for which the reading is not believed; empty: it is, and later readings are checked
  /// against it. `begin`: begin of the attempt; `now`: current time; both on the clock of the
  /// readings; nothing: unknown.
  std::string WhyNot(const core::EnergyReading& reading, std::optional<Time> begin,
                     std::optional<Time> now);

 private:
  std::map<std::string, Time> measured_until_;  // by device
  double believed_joules_ = 0;
  std::optional<Time> first_;
};

}  // namespace ebb::local
