#pragma once
// When a recurring job is due: the five fields of a crontab line (minute, hour, day of month,
// month, day of week) as POSIX has them, with steps, names and @daily as in Vixie cron
// (crontab(5)). Where both days are restricted, either will do. Pure: what the local clock shows is
// the caller's to say.
//
// Where the clock jumps forward, what falls into the gap is due right after it; where it goes back,
// a schedule with restricted hours is due the first time only.

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
  /// What the local clock is ahead of UTC at that moment.
  using UtcOffset = std::function<Duration(Time)>;

  /// "0 2 * * mon-fri", "*/15 * * * *", "@daily". An Error says which field is wrong; a day that
  /// never comes (30 February) is one, too.
  static Result<CronSchedule> Parse(std::string_view text);

  /// The first time after `after` at which it is due; nothing: not within 40 years.
  std::optional<Time> NextAfter(Time after, const UtcOffset& offset) const;

 private:
  bool MatchesDay(std::chrono::sys_days day) const;
  bool MatchesMinute(Time local) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_of_month_;
  std::bitset<13> months_;
  std::bitset<7> days_of_week_;  // from Sunday
  bool any_day_of_month_ = false;
  bool any_day_of_week_ = false;
};

}  // namespace ebb::core
