#include "config/neo_clock.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "prices/zone_clock.h"

namespace ebb::config {
namespace {

// The offset in a text such as "UTC+05:30".
std::optional<Duration> FixedOffset(const std::string& text) {
  int hours = 0, minutes = 0, read = 0;
  char sign = '+';
  const int fields = std::sscanf(text.c_str(), "UTC%c%2d:%2d%n", &sign, &hours, &minutes, &read);
  const bool whole = fields == 3 && static_cast<std::size_t>(read) == text.size();
  if (!whole || (sign != '+' && sign != '-') || hours < 0 || hours > 14 || minutes < 0 ||
      minutes > 59)
    return std::nullopt;
  const Duration offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
  return sign == '-' ? -offset : offset;
}

}  // namespace

signals::NeoClock FixedNeoClock(Duration utc_offset) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(utc_offset).count();
  char name[32];
  std::snprintf(name, sizeof name, "UTC%c%02lld:%02lld", minutes < 0 ? '-' : '+',
                std::llabs(minutes) / 60, std::llabs(minutes) % 60);
  return {name, [utc_offset](Time) { return utc_offset; }};
}

Result<signals::NeoClock> NeoClockOf(const std::string& text) {
  if (const auto offset = FixedOffset(text)) return FixedNeoClock(*offset);
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock zone, prices::ZoneClock::Find(text));
  return signals::NeoClock{text, [zone](Time time) { return zone.SpanAt(time).offset; }};
}

KeyRule ReadNeoClock(const std::string& name, Given<std::string>& out) {
  KeyRule text = ReadText(name, out);
  return {name,
          [name, &out, read = std::move(text.read)](const YamlNode& value, Problems& problems) {
            read(value, problems);
            if (!out) return;
            if (const auto clock = NeoClockOf(*out); !clock) {
              problems.Add(out.line, name + ": " + clock.error().Message());
              out = {};
            }
          }};
}

void CheckOneNeoClock(int hours_line, int zone_line, Problems& problems) {
  if (hours_line > 0 && zone_line > 0)
    problems.Add(std::max(hours_line, zone_line),
                 "neo_utc_offset_hours and neo_time_zone mean the same: leave one out");
}

}  // namespace ebb::config
