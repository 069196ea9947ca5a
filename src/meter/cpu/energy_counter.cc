#include "meter/cpu/energy_counter.h"

#include <utility>

namespace ebb::meter {
namespace {

constexpr double kMostWatts = 2000;
// Counters are updated about once per millisecond, so two readings close to each other may be
// further apart than the clock says.
constexpr double kUpdateSeconds = 0.005;

}  // namespace

void EnergyCounter::Start(Instant now, std::optional<std::int64_t> value_uj) {
  value_uj_ = value_uj;
  last_read_ = now;
  counted_uj_ = 0;
}

EnergyCounter::Outcome EnergyCounter::Look(Instant now, std::optional<std::int64_t> value_uj) {
  if (!value_uj) return Outcome::kUnreadable;
  if (value_uj == value_uj_) return Outcome::kStill;
  std::int64_t difference_uj = 0;
  const double seconds = std::chrono::duration<double>(now - last_read_).count();
  const Outcome outcome = Difference(*value_uj, seconds, difference_uj);
  if (outcome == Outcome::kCounted) counted_uj_ += difference_uj;
  value_uj_ = value_uj;
  last_read_ = now;
  return outcome;
}

EnergyCounter::Outcome EnergyCounter::Difference(std::int64_t value_uj, double seconds,
                                                 std::int64_t& difference_uj) const {
  if (!value_uj_) return Outcome::kNoBaseLine;
  difference_uj = value_uj - *value_uj_;
  if (!range_uj_) return difference_uj < 0 ? Outcome::kBackwards : Outcome::kCounted;
  const double most_uj = (seconds + kUpdateSeconds) * kMostWatts * 1e6;
  if (most_uj > static_cast<double>(*range_uj_)) return Outcome::kPausedTooLong;
  const bool smaller = difference_uj < 0;
  if (smaller) difference_uj += *range_uj_;
  const bool possible = difference_uj >= 0 && static_cast<double>(difference_uj) <= most_uj;
  if (possible) return Outcome::kCounted;
  return smaller ? Outcome::kBackwards : Outcome::kTooFast;
}

std::int64_t EnergyCounter::Take() { return std::exchange(counted_uj_, 0); }

std::optional<std::chrono::nanoseconds> EnergyCounter::longest_pause() const {
  if (!range_uj_) return std::nullopt;
  const double seconds = static_cast<double>(*range_uj_) / 1e6 / kMostWatts - kUpdateSeconds;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

bool IsLoss(EnergyCounter::Outcome outcome) {
  using enum EnergyCounter::Outcome;
  return outcome != kCounted && outcome != kUnreadable && outcome != kStill;
}

const char* Describe(EnergyCounter::Outcome outcome) {
  switch (outcome) {
    case EnergyCounter::Outcome::kCounted:
      return "";
    case EnergyCounter::Outcome::kUnreadable:
      return "the counter cannot be read";
    case EnergyCounter::Outcome::kStill:
      return "the counter stands still";
    case EnergyCounter::Outcome::kNoBaseLine:
      return "the counter could not be read at the start";
    case EnergyCounter::Outcome::kBackwards:
      return "the counter went backwards";
    case EnergyCounter::Outcome::kTooFast:
      return "the counter jumped by more than a processor can use";
    case EnergyCounter::Outcome::kPausedTooLong:
      return "the counter was not read for so long that it may have wrapped more than once";
  }
  return "";
}

}  // namespace ebb::meter
