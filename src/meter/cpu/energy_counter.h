#pragma once
// Follows a hardware counter of microjoules that may wrap around, be unreadable for a while, or be
// reset. Energy is added only if the difference of two readings has one meaning:
//  - a smaller value is a wrap if the counter's range is known and the energy is one that a
//    processor can use in that time (2 kW; the largest parts of 2024 draw a quarter of that),
//    otherwise the difference is dropped;
//  - after a pause so long that 2 kW could have wrapped the counter twice, the difference is
//    dropped (longest_pause() says how long that is: 131 s for the usual 262 kJ).
// A reading that fails, or that shows the value of the last one again, loses nothing: the next one
// covers its time. A device that is switched on draws power, so a value that stays the same means
// that the counter has not been updated (or never is, as in some virtual machines), not that the
// energy is zero.
//
// Two resets go unnoticed: one after which the counter has passed its old value again by the next
// reading, and one that looks like a wrap. Each makes an error of at most the energy that a
// processor can use in one poll interval.

#include <chrono>
#include <cstdint>
#include <optional>

#include "meter/meter.h"

namespace ebb::meter {

class EnergyCounter {
 public:
  /// `range_uj`: the highest value before the counter starts again from 0; nullopt if unknown.
  explicit EnergyCounter(std::optional<std::int64_t> range_uj) : range_uj_(range_uj) {}

  enum class Outcome {
    kCounted,
    kUnreadable,    ///< nothing lost yet
    kStill,         ///< the same value as before: nothing lost yet
    kNoBaseLine,    ///< dropped: the first value that could be read since Start
    kBackwards,     ///< dropped: smaller than before, and not a wrap
    kTooFast,       ///< dropped: more energy than a processor can use
    kPausedTooLong  ///< dropped: may have wrapped more than once
  };
  void Start(Instant now, std::optional<std::int64_t> value_uj);
  Outcome Look(Instant now, std::optional<std::int64_t> value_uj);

  bool has_counted() const { return counted_uj_ > 0; }
  /// Microjoules counted since the previous Take; never negative.
  std::int64_t Take();
  /// Time at which the counter last showed a new value, or Start.
  Instant last_read() const { return last_read_; }
  std::optional<std::chrono::nanoseconds> longest_pause() const;

 private:
  Outcome Difference(std::int64_t value_uj, double seconds, std::int64_t& difference_uj) const;

  std::optional<std::int64_t> range_uj_;
  std::optional<std::int64_t> value_uj_;
  Instant last_read_{};
  std::int64_t counted_uj_ = 0;
};

/// True if energy was dropped for good.
bool IsLoss(EnergyCounter::Outcome outcome);

/// Words for people: "the counter went backwards". Empty for kCounted.
const char* Describe(EnergyCounter::Outcome outcome);

}  // namespace ebb::meter
