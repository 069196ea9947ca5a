#pragma once
// The local clock of a time zone: what it shows at a moment, and when it is changed. From the
// machine's time zone database (tzdata) through Howard Hinnant's date library. Values; any thread.

#include <chrono>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace date {
class time_zone;
}

namespace ebb::prices {

/// What a local clock shows.
using LocalTime = std::chrono::local_time<Duration>;

/// A stretch of time over which a zone's distance from UTC does not change.
struct OffsetSpan {
  Interval utc;
  Duration offset{};  ///< local time - UTC
};

class ZoneClock {
 public:
  /// "Europe/Berlin", "UTC". Errors: a name that the database does not know, with a suggestion; no
  /// database on this machine.
  static Result<ZoneClock> Find(const std::string& name);

  const std::string& name() const { return name_; }
  OffsetSpan SpanAt(Time time) const;
  LocalTime LocalOf(Time time) const {
    return LocalTime{(time + SpanAt(time).offset).time_since_epoch()};
  }
  /// The earlier moment of a local time that is there twice; the moment of the change for one that
  /// is skipped.
  Time UtcOf(LocalTime local) const;

  friend bool operator==(const ZoneClock&, const ZoneClock&) = default;

 private:
  ZoneClock(std::string name, const date::time_zone* zone) : name_(std::move(name)), zone_(zone) {}
  std::string name_;
  const date::time_zone* zone_;  ///< lives as long as the process
};

}  // namespace ebb::prices
