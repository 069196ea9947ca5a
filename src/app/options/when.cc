#include "app/options/when.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "base/text.h"

namespace ebb::app {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr const char* kExamples =
    "give a duration like 6h, or a time like 18:00, tomorrow 6am or 2026-10-01T09:30Z";
constexpr const char* kPastExamples =
    "give a duration like 2d for so long ago, or a time like yesterday, monday 6am or 2026-10-01";
constexpr std::array<std::string_view, 7> kWeekdays{"sunday",   "monday", "tuesday", "wednesday",
                                                    "thursday", "friday", "saturday"};

bool use_utc = false;  // set before the first command, never afterwards

// The zone name in the link /etc/localtime: "Europe/Berlin" from /usr/share/zoneinfo/Europe/Berlin.
// Debian's unattended set-up writes zoneinfo//UTC.
std::string NameOfMachine() {
  std::error_code code;
  const std::string target =
      std::filesystem::read_symlink("/etc/localtime", code).lexically_normal().string();
  constexpr std::string_view kFolder = "/zoneinfo/";
  const auto at = target.find(kFolder);
  return code || at == std::string::npos ? "UTC" : target.substr(at + kFolder.size());
}

bool SaysItsOffset(const std::string& text) {
  return text.size() > 11 && text.find_first_of("Z+-", 11) != std::string::npos;
}

// A time of day ("18:00", "6am", "6:30 pm") as a distance from midnight.
std::optional<Duration> TimeOfDay(std::string_view text) {
  const bool is_morning = text.ends_with("am"), is_evening = text.ends_with("pm");
  const bool by_twelve = is_morning || is_evening;
  if (by_twelve) text = Trim(text.substr(0, text.size() - 2));
  const auto parts = Split(text, ':');
  if (parts.size() > 2 || (parts.size() == 1 && !by_twelve)) return std::nullopt;
  auto hour = ParseInteger(parts[0]);
  const auto minute = parts.size() == 2 ? ParseInteger(parts[1]) : 0;
  if (!hour || !minute || *minute < 0 || *minute > 59) return std::nullopt;
  if (parts.size() == 2 && parts[1].size() != 2) return std::nullopt;
  if (by_twelve && (*hour < 1 || *hour > 12)) return std::nullopt;
  if (by_twelve) hour = *hour % 12 + (is_evening ? 12 : 0);
  if (*hour < 0 || *hour > 23) return std::nullopt;
  return hours{*hour} + minutes{*minute};
}

// The direction in which a time of day or a weekday is looked for: the next one or the last one.
enum class Direction { kAhead, kBack };

// The days from today to "today", "tomorrow", "yesterday", or a weekday ("fri", "friday"). A
// weekday is never today.
std::optional<int> DaysFromToday(std::string_view word, std::chrono::weekday today,
                                 Direction direction) {
  const int step = direction == Direction::kAhead ? 1 : -1;
  if (word == "today") return 0;
  if (word == (direction == Direction::kAhead ? "tomorrow" : "yesterday")) return step;
  for (unsigned i = 0; i < kWeekdays.size(); ++i) {
    if (word != kWeekdays[i] && word != kWeekdays[i].substr(0, 3)) continue;
    const std::chrono::weekday day{i};
    const auto away = (direction == Direction::kAhead ? day - today : today - day).count();
    return step * (away == 0 ? 7 : static_cast<int>(away));
  }
  return std::nullopt;
}

// A time of day, with or without a day before it; nullopt if the text is neither.
std::optional<Time> ByTheClock(const std::string& text, Time now, const prices::ZoneClock& zone,
                               Direction direction) {
  const auto local = zone.LocalOf(now);
  const auto today = std::chrono::floor<days>(local);
  const std::chrono::weekday weekday{std::chrono::local_days{today.time_since_epoch()}};
  const std::size_t space = std::min(text.find(' '), text.size());
  const auto day = DaysFromToday(text.substr(0, space), weekday, direction);
  const std::string_view rest = day ? Trim(std::string_view(text).substr(space)) : text;
  const auto of_day = day && rest.empty() ? Duration::zero() : TimeOfDay(rest);
  if (!of_day) return std::nullopt;
  const auto on = [&](int from_today) {
    return zone.UtcOf(prices::LocalTime{today + days{from_today} + *of_day});
  };
  if (day) return on(*day);
  if (direction == Direction::kAhead) return on(0) > now ? on(0) : on(1);
  return on(0) <= now ? on(0) : on(-1);
}

// Reads a duration or a moment.
Result<When> Read(const std::string& flag, const std::string& given, Time now,
                  const prices::ZoneClock& zone, Direction direction) {
  const std::string text = Lowercase(Trim(given));
  const bool has_sign = direction == Direction::kAhead && text.starts_with('+');
  // "18:00:00" is a time of day, although --duration reads it as 18 hours.
  const bool is_clock = text.find(':') != std::string::npos && text.find('-') == std::string::npos;
  if (has_sign || ParseNumber(text) || (!is_clock && ParseDuration(text))) {
    EBB_ASSIGN_OR_RETURN(const Duration away, DurationOf(flag, text.substr(has_sign ? 1 : 0)));
    return away;
  }
  if (const auto at = ByTheClock(text, now, zone, direction)) return *at;
  const auto moment = MomentOf(flag, std::string(Trim(given)), zone);
  if (moment) return *moment;
  return Fail({ExitCode::kUsage, flag + ": \"" + given + "\" is neither a duration nor a time", "",
               direction == Direction::kAhead ? kExamples : kPastExamples});
}

}  // namespace

void UseUtc() { use_utc = true; }

Result<prices::ZoneClock> ZoneOfUser(const std::string& given) {
  if (!given.empty()) return prices::ZoneClock::Find(given);
  return use_utc ? prices::ZoneClock::Find("UTC") : ZoneOfEnvironment();
}

Result<prices::ZoneClock> ZoneOfEnvironment() {
  const char* variable = std::getenv("TZ");
  std::string name = variable ? variable : "";
  if (name.starts_with(':')) name.erase(0, 1);
  const config::Setting* setting = SettingsOfUser().Find("time_zone");
  if (name.empty() && setting) return prices::ZoneClock::Find(setting->value);
  auto zone = prices::ZoneClock::Find(name.empty() ? NameOfMachine() : name);
  if (!zone && !name.empty())
    zone.error().next = "$TZ is not the name of a zone: set it to one, e.g. Europe/Berlin";
  return zone;
}

Result<Time> MomentOf(const std::string& flag, const std::string& text,
                      const prices::ZoneClock& zone) {
  const auto time = ParseTime(text);
  if (!time)
    return Fail({ExitCode::kUsage, flag + ": " + time.error().what, "",
                 "give a date like 2026-10-01, or a time like 2026-10-01T09:30Z"});
  if (SaysItsOffset(text)) return *time;
  return zone.UtcOf(prices::LocalTime{time->time_since_epoch()});
}

Result<When> WhenOf(const std::string& flag, const std::string& given, Time now,
                    const prices::ZoneClock& zone) {
  EBB_ASSIGN_OR_RETURN(const When when, Read(flag, given, now, zone, Direction::kAhead));
  if (const auto* at = std::get_if<Time>(&when); at && *at < now)
    return Fail({ExitCode::kUsage,
                 flag + ": \"" + given + "\" has passed: it was " + FormatTime(*at), "",
                 kExamples});
  return when;
}

Result<When> PastOf(const std::string& flag, const std::string& given, Time now,
                    const prices::ZoneClock& zone) {
  EBB_ASSIGN_OR_RETURN(const When when, Read(flag, given, now, zone, Direction::kBack));
  if (const auto* at = std::get_if<Time>(&when); at && *at > now)
    return Fail({ExitCode::kUsage,
                 flag + ": \"" + given + "\" is still to come: it will be " + FormatTime(*at), "",
                 kPastExamples});
  return when;
}

}  // namespace ebb::app
