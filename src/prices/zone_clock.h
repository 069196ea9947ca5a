#pragma once
// The local clock of a time zone: the local time at a moment, and when the offset changes. Read
// from the machine's time zone database (tzdata) through Howard Hinnant's date library. Values; any
// thread.

#include <chrono>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace date {
class time_zone;
}

namespace ebb::prices {

using LocalTime = std::chrono::local_time<Duration>;

/// A stretch of time over which a zone's offset from UTC does not change.
struct OffsetSpan {
  Interval utc;
  Duration offset{};  ///< local time - UTC
};

class ZoneClock {
 public:
  /// `name` is an IANA name such as "Europe/Berlin" or "UTC". Errors: the database does not know
  /// the name (with a suggestion); this machine has no database.
  static Result<ZoneClock> Find(const std::string& name);

  const std::string& name() const { return name_; }
  OffsetSpan SpanAt(Time time) const;
  LocalTime LocalOf(Time time) const {
    return LocalTime{(time + SpanAt(time).offset).time_since_epoch()};
  }
  /// The earlier moment of a local time that occurs twice; the moment of the change for one that is
  /// skipped.
  Time UtcOf(LocalTime local) const;

  friend bool operator==(const ZoneClock&, const ZoneClock&) = default;

 private:
  ZoneClock(std::string name, const date::time_zone* zone) : name_(std::move(name)), zone_(zone) {}
  std::string name_;
  const date::time_zone* zone_;  ///< lives as long as the process
};

}  // namespace ebb::prices
