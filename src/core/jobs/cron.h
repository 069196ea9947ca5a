#pragma once
// Due times of a recurring job: the five fields of a crontab line (minute, hour, day of month,
// month, day of week) as POSIX has them, with steps, names and @daily as in Vixie cron
// (crontab(5)). If both day fields are restricted, a day that matches either will do. Pure: the
// caller says what the local clock shows.
//
// If the clock jumps forward, times in the gap are due right after it. If the clock goes back, a
// schedule with restricted hours is due the first time only.

#include <bitset>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ebb::core {

class CronSchedule {
 public:
  /// Offset of the local clock from UTC at a moment; positive if it is ahead.
  using UtcOffset = std::function<Duration(Time)>;

  /// Parses "0 2 * * mon-fri", "*/15 * * * *" or "@daily". The Error says which field is wrong; a
  /// day that never comes (30 February) is an error too.
  static Result<CronSchedule> Parse(std::string_view text);

  /// The first due time after `after`; nullopt if none comes within 40 years.
  std::optional<Time> NextAfter(Time after, const UtcOffset& offset) const;

 private:
  bool MatchesDay(std::chrono::sys_days day) const;
  bool MatchesMinute(Time local) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_of_month_;
  std::bitset<13> months_;
  std::bitset<7> days_of_week_;  // bit 0 is Sunday
  bool any_day_of_month_ = false;
  bool any_day_of_week_ = false;
};

}  // namespace ebb::core
