#include "cli/local_days.h"

#include <algorithm>

namespace ebb::cli {
namespace {

prices::LocalTime MidnightOf(prices::LocalTime local) {
  return prices::LocalTime{std::chrono::floor<std::chrono::days>(local.time_since_epoch())};
}

}  // namespace

std::vector<report::PeriodDay> DaysOf(Interval interval, const prices::ZoneClock& zone) {
  std::vector<report::PeriodDay> days;
  prices::LocalTime midnight = MidnightOf(zone.LocalOf(interval.begin));
  for (Time begin = interval.begin; begin < interval.end;) {
    midnight += std::chrono::days{1};
    const Time next = std::min(zone.UtcOf(midnight), interval.end);
    if (next <= begin) continue;
    days.push_back({LocalMinute(begin, zone).substr(0, 10), {begin, next}});
    begin = next;
  }
  return days;
}

Interval WholeDays(Interval interval, const prices::ZoneClock& zone) {
  const prices::LocalTime first = MidnightOf(zone.LocalOf(interval.begin));
  const prices::LocalTime last = MidnightOf(zone.LocalOf(interval.end)) + std::chrono::days{1};
  return {zone.UtcOf(first), zone.UtcOf(last)};
}

std::string LocalMinute(Time time, const prices::ZoneClock& zone) {
  std::string text = FormatTime(Time{zone.LocalOf(time).time_since_epoch()}).substr(0, 16);
  text[10] = ' ';
  return text;
}

}  // namespace ebb::cli
