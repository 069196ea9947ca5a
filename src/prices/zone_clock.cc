#include "prices/zone_clock.h"

#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "base/text.h"

namespace ebb::prices {
namespace {

// Clamped, because milliseconds cannot hold the library's first and last moments.
Time ClampedTime(date::sys_seconds time) {
  constexpr std::chrono::seconds kFar = std::chrono::hours{24 * 365 * 2000};
  return Time{std::clamp(time.time_since_epoch(), -kFar, kFar)};
}

std::vector<std::string> KnownZones() {
  std::vector<std::string> names;
  for (const date::time_zone& zone : date::get_tzdb().zones) names.push_back(zone.name());
  return names;
}

}  // namespace

Result<ZoneClock> ZoneClock::Find(const std::string& name) {
  // The library reports errors by exceptions; none leaves this function.
  try {
    for (const date::time_zone& zone : date::get_tzdb().zones)
      if (zone.name() == name) {
        std::ignore = zone.get_info(date::sys_seconds{});
        return ZoneClock(name, &zone);
      }
    const std::vector<std::string> known = KnownZones();
    return Fail({ExitCode::kConfiguration,
                 "time zone \"" + name + "\" is unknown" + SuggestionText(name, known), "",
                 "give an IANA name such as Europe/Berlin or America/Los_Angeles"});
  } catch (const std::exception& exception) {
    return Fail({ExitCode::kUnavailable,
                 "the time zone database cannot be read: " + std::string(exception.what()), "",
                 "install the package tzdata"});
  }
}

OffsetSpan ZoneClock::SpanAt(Time time) const {
  const date::sys_info info = zone_->get_info(std::chrono::floor<std::chrono::seconds>(time));
  return {{ClampedTime(info.begin), ClampedTime(info.end)}, info.offset};
}

Time ZoneClock::UtcOf(LocalTime local) const {
  const date::local_time<Duration> asked{local.time_since_epoch()};
  return zone_->to_sys(asked, date::choose::earliest);
}

}  // namespace ebb::prices
