#pragma once
// Times as a person reads them in a terminal: short, by their own clock ($TZ, or UTC with --utc).
// Output for programs stays in UTC.

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "prices/zone_clock.h"

namespace ebb::cli {

class LocalTimes {
 public:
  /// Without a zone, times are in UTC. `now` decides how much of a date must be written.
  LocalTimes(std::optional<prices::ZoneClock> zone, Time now) : zone_(std::move(zone)), now_(now) {}
  /// Times by the clock of this user. A zone that the machine does not know counts as UTC.
  static LocalTimes Of(Time now);
  /// Times by the clock of a service, as its answers write it ("now"); by the system clock if it
  /// wrote none.
  static LocalTimes OfService(const std::string& now);
  /// Local times at this moment of the system clock.
  static LocalTimes Now();

  /// "Europe/Berlin"
  std::string zone() const;
  /// "17:52" today, "Thu 17:52" within the next six days, "19 Nov 17:52" this year, or
  /// "2024-05-03 17:52".
  std::string Moment(Time time) const;
  /// "Thu 17:52, in 10h" or "17:52, 2h 5m ago".
  std::string MomentAndDistance(Time time) const;
  /// "Thu 17:52", for a line in a log.
  std::string Stamp(Time time) const;
  /// "2026-11-19 17:52"
  std::string Minute(Time time) const;
  /// The reading of the local clock, as a calendar time.
  Time Shown(Time time) const;
  /// A sentence with each time in the form of Moment. The service and the records write times as
  /// "2023-05-01T11:00:00Z" and "2023-05-01 11:00-13:00", in UTC.
  std::string InText(std::string_view text) const;

 private:
  std::optional<prices::ZoneClock> zone_;
  Time now_;
};

/// The text that LocalTimes::Now().Moment gives.
std::string MomentText(Time time);

}  // namespace ebb::cli
