#include "base/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace ebb {
namespace {

namespace chr = std::chrono;

// A cursor over the text: each Take either consumes or leaves everything as it was.
struct Cursor {
  std::string_view rest;

  bool Take(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::optional<int> Digits(std::size_t count) {
    if (rest.size() < count) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest[i] < '0' || rest[i] > '9') return std::nullopt;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(count);
    return value;
  }
};

Error BadTime(std::string_view text, std::string why) {
  return {ExitCode::kConfiguration,
          "\"" + std::string(text) + "\" is not a time: " + std::move(why), "",
          "write it like 2023-05-01T13:45Z"};
}

std::optional<chr::milliseconds> TakeFraction(Cursor& cursor) {
  if (!cursor.Take('.') && !cursor.Take(',')) return chr::milliseconds{0};
  int millis = 0;
  int digits = 0;
  while (auto digit = cursor.Digits(1)) {
    if (digits < 3) millis = millis * 10 + *digit;
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 3; ++digits) millis *= 10;
  return chr::milliseconds{millis};
}

std::optional<chr::minutes> TakeOffset(Cursor& cursor) {
  if (cursor.rest.empty() || cursor.Take('Z') || cursor.Take('z')) return chr::minutes{0};
  const bool negative = !cursor.rest.empty() && cursor.rest.front() == '-';
  if (!cursor.Take('+') && !cursor.Take('-')) return std::nullopt;
  const auto hours = cursor.Digits(2);
  if (!hours || *hours > 23) return std::nullopt;  // RFC 3339 allows offsets that no place has
  int minutes = 0;
  const bool colon = cursor.Take(':');
  if (colon || !cursor.rest.empty()) {
    const auto parsed = cursor.Digits(2);
    if (!parsed || *parsed > 59) return std::nullopt;
    minutes = *parsed;
  }
  const int total = *hours * 60 + minutes;
  return chr::minutes{negative ? -total : total};
}

struct Unit {
  std::string_view suffix;
  double seconds;
};
// "ms" before "m": the longer suffix wins.
constexpr std::array<Unit, 6> kUnits{
    {{"ms", 0.001}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"w", 604800}}};

Error BadDuration(std::string_view text, std::string why) {
  return {ExitCode::kConfiguration,
          "\"" + std::string(text) + "\" is not a duration: " + std::move(why), "",
          "write it like 90s, 15m, 6h, 1h30m, 2d or, as Slurm does, 1-12:00:00"};
}

bool IsDigits(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t DigitsValue(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// True for a duration with colons, or with days before a dash, as Slurm writes time limits.
bool IsClockDuration(std::string_view text) {
  return text.find(':') != std::string_view::npos ||
         (text.find('-', 1) != std::string_view::npos && IsDigits(text.substr(0, 1), 1) &&
          text.find_first_not_of("0123456789-") == std::string_view::npos);
}

// Reads "h:mm:ss", "d-hh", "d-hh:mm" and "d-hh:mm:ss". Two numbers without days are refused: Slurm
// reads them as minutes and seconds, most people as hours and minutes.
Result<Duration> ParseClockDuration(std::string_view text) {
  std::string_view clock = text;
  chr::seconds length{0};
  const auto dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) {
    const std::string_view days = text.substr(0, dash);
    if (!IsDigits(days, 5)) return Fail(BadDuration(text, "no whole days before the dash"));
    length = chr::hours{24 * DigitsValue(days)};
    clock = text.substr(dash + 1);
  }
  std::vector<std::string_view> parts;
  for (;;) {
    const auto colon = clock.find(':');
    parts.push_back(clock.substr(0, colon));
    if (colon == std::string_view::npos) break;
    clock.remove_prefix(colon + 1);
  }
  if (!has_days && parts.size() == 2)
    return Fail(BadDuration(text, "two numbers may be hours and minutes, or minutes and seconds"));
  if (parts.size() > 3) return Fail(BadDuration(text, "it has more than hours, minutes, seconds"));
  constexpr std::array<std::int64_t, 3> kUnit{3600, 60, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool leads = i == 0 && !has_days;
    if (!IsDigits(parts[i], leads ? 6 : 2))
      return Fail(BadDuration(text, "\"" + std::string(parts[i]) + "\" is not a number of " +
                                        (i == 0   ? "hours"
                                         : i == 1 ? "minutes"
                                                  : "seconds")));
    const std::int64_t value = DigitsValue(parts[i]);
    if (!leads && value > (i == 0 ? 23 : 59))
      return Fail(BadDuration(text, "there are only 24 hours, 60 minutes and 60 seconds"));
    length += chr::seconds{value * kUnit[i]};
  }
  return Duration{length};
}

// No run lasts a century. The limit also keeps the arithmetic inside 64 bits.
constexpr double kLongestSeconds = 100.0 * 366 * 86400;

// Writes the digits as "%0*u" would, at a tenth of the cost, because every decision and every row
// contains times.
void AppendDigits(std::string& text, std::int64_t value, int digits) {
  char buffer[20];
  char* at = buffer + sizeof buffer;
  for (; digits > 0 || value > 0; --digits, value /= 10)
    *--at = static_cast<char>('0' + value % 10);
  text.append(at, buffer + sizeof buffer);
}

std::string Printf(const char* format, long long a, const char* unit_a, long long b,
                   const char* unit_b) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, a, unit_a, b, unit_b);
  return buffer;
}

}  // namespace

Duration DurationFromSeconds(double seconds) { return Duration{std::llround(seconds * 1000.0)}; }

Result<Time> ParseTime(std::string_view text) {
  Cursor cursor{text};
  const auto year = cursor.Digits(4);
  const bool dash1 = cursor.Take('-');
  const auto month = cursor.Digits(2);
  const bool dash2 = cursor.Take('-');
  const auto day = cursor.Digits(2);
  if (!year || !dash1 || !month || !dash2 || !day) return Fail(BadTime(text, "no YYYY-MM-DD date"));
  const chr::year_month_day date{chr::year{*year}, chr::month{static_cast<unsigned>(*month)},
                                 chr::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return Fail(BadTime(text, "no such calendar day"));
  Time time = chr::sys_days{date};
  if (!cursor.rest.empty() && (cursor.Take('T') || cursor.Take('t') || cursor.Take(' '))) {
    const auto hour = cursor.Digits(2);
    const bool colon = cursor.Take(':');
    const auto minute = cursor.Digits(2);
    if (!hour || !colon || !minute || *hour > 23 || *minute > 59)
      return Fail(BadTime(text, "no hh:mm after the date"));
    int second = 0;
    if (cursor.Take(':')) {
      const auto parsed = cursor.Digits(2);
      // A leap second, 60, is the first second of the next minute.
      if (!parsed || *parsed > 60) return Fail(BadTime(text, "no seconds after the second colon"));
      second = *parsed;
    }
    const auto fraction = TakeFraction(cursor);
    if (!fraction) return Fail(BadTime(text, "no digits after the decimal point"));
    time += chr::hours{*hour} + chr::minutes{*minute} + chr::seconds{second} + *fraction;
  }
  const auto offset = TakeOffset(cursor);
  if (!offset || !cursor.rest.empty())
    return Fail(BadTime(text, "\"" + std::string(cursor.rest) + "\" is left over"));
  return time - *offset;
}

std::string FormatTime(Time time) {
  const auto days = chr::floor<chr::days>(time);
  const chr::year_month_day date{days};
  const chr::hh_mm_ss<Duration> clock{time - days};
  const int year = static_cast<int>(date.year());
  std::string text = year < 0 ? "-" : "";
  text.reserve(sizeof "2023-05-01T13:45:00.000Z");
  AppendDigits(text, std::abs(year), 4);
  AppendDigits(text += '-', static_cast<unsigned>(date.month()), 2);
  AppendDigits(text += '-', static_cast<unsigned>(date.day()), 2);
  AppendDigits(text += 'T', clock.hours().count(), 2);
  AppendDigits(text += ':', clock.minutes().count(), 2);
  AppendDigits(text += ':', clock.seconds().count(), 2);
  if (const auto millis = clock.subseconds().count(); millis != 0)
    AppendDigits(text += '.', millis, 3);
  return text += 'Z';
}

std::string FormatClock(Time time) { return FormatTime(time).substr(11, 5); }

Result<Duration> ParseDuration(std::string_view text) {
  if (text.empty()) return Fail(BadDuration(text, "it is empty"));
  if (IsClockDuration(text)) {
    EBB_ASSIGN_OR_RETURN(const Duration length, ParseClockDuration(text));
    if (Seconds(length) > kLongestSeconds)
      return Fail(BadDuration(text, "it is over a hundred years"));
    return length;
  }
  std::string_view rest = text;
  double seconds = 0;
  while (!rest.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{} || !std::isfinite(number))
      return Fail(BadDuration(text, "\"" + std::string(rest) + "\" does not begin with a number"));
    if (number < 0) return Fail(BadDuration(text, "it is negative"));
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) {
      seconds += number;
      break;
    }
    const Unit* found = nullptr;
    for (const Unit& unit : kUnits) {
      if (!found && rest.starts_with(unit.suffix)) found = &unit;
    }
    if (!found) return Fail(BadDuration(text, "unit \"" + std::string(rest) + "\" is unknown"));
    seconds += number * found->seconds;
    rest.remove_prefix(found->suffix.size());
  }
  if (seconds > kLongestSeconds) return Fail(BadDuration(text, "it is over a hundred years"));
  return DurationFromSeconds(seconds);
}

std::string FormatExact(Duration duration) { return std::to_string(duration.count()) + "ms"; }

std::string FormatDuration(Duration duration) {
  if (duration < Duration::zero()) return "-" + FormatDuration(-duration);
  const auto millis = static_cast<long long>(duration.count());
  if (millis == 0) return "0s";
  if (millis < 1000) return std::to_string(millis) + "ms";
  if (millis < 59'950) {  // a longer duration would print as 60.0s
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.1fs", static_cast<double>(millis) / 1000.0);
    return buffer;
  }
  const long long seconds = (millis + 500) / 1000;
  if (seconds < 3600) return Printf("%lld%s %lld%s", seconds / 60, "m", seconds % 60, "s");
  const long long minutes = (seconds + 30) / 60;
  if (minutes < 24 * 60) return Printf("%lld%s %lld%s", minutes / 60, "h", minutes % 60, "m");
  const long long hours = (minutes + 30) / 60;
  return Printf("%lld%s %lld%s", hours / 24, "d", hours % 24, "h");
}

}  // namespace ebb
