#include "core/jobs/cron.h"

#include <array>
#include <vector>

#include "base/text.h"

namespace ebb::core {
namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::sys_days;

// Two Sundays on 29 February may be 40 years apart.
constexpr int kMostDays = 366 * 41;
// The calendar repeats after 400 years, weekdays included.
constexpr int kDaysOfTheCalendar = 146'097;

struct Field {
  const char* name;
  int low, high;
  std::vector<std::string> names;  // names of the values low, low + 1, ...
};

const std::array<Field, 5>& Fields() {
  static const std::array<Field, 5> fields{{
      {"minute", 0, 59, {}},
      {"hour", 0, 23, {}},
      {"day of month", 1, 31, {}},
      {"month",
       1,
       12,
       {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
      {"day of week", 0, 7, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
  }};
  return fields;
}

Error Wrong(const Field& field, std::string_view text) {
  return {ExitCode::kUsage, "\"" + std::string(text) + "\" is no " + field.name, "",
          "numbers from " + std::to_string(field.low) + " to " + std::to_string(field.high) +
              ", lists 1,2, ranges 1-5, steps */15"};
}

std::optional<int> ValueOf(const Field& field, std::string_view text) {
  const std::string word = Lowercase(text);
  for (std::size_t i = 0; i < field.names.size(); ++i)
    if (field.names[i] == word) return field.low + static_cast<int>(i);
  const auto number = ParseInteger(text);
  if (!number || *number < field.low || *number > field.high) return std::nullopt;
  return static_cast<int>(*number);
}

// Parses one item of a field: "*", "5", "1-5", "*/2", "10-40/5".
template <typename Bits>
Status ReadPart(const Field& field, std::string_view part, Bits& bits) {
  const auto slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    const auto number = ParseInteger(part.substr(slash + 1));
    if (!number || *number < 1 || *number > field.high) return Fail(Wrong(field, part));
    step = static_cast<int>(*number);
  }
  int low = field.low, high = field.high;
  if (range != "*") {
    const auto dash = range.find('-');
    const auto first = ValueOf(field, range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : ValueOf(field, range.substr(dash + 1));
    const bool open = dash == std::string_view::npos && slash != std::string_view::npos;
    if (!first || !last || *first > *last) return Fail(Wrong(field, part));
    low = *first;
    high = open ? field.high : *last;
  }
  // Sunday is 0 and 7.
  for (int value = low; value <= high; value += step)
    bits.set(static_cast<std::size_t>(value) % (bits.size() == 7 ? 7 : bits.size()));
  return {};
}

template <typename Bits>
Status ReadField(int index, std::string_view text, Bits& bits) {
  const Field& field = Fields()[static_cast<std::size_t>(index)];
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) return Fail(Wrong(field, text));
    EBB_RETURN_IF_ERROR(ReadPart(field, part, bits));
  }
  return {};
}

std::string_view Spelt(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{{
      {"@hourly", "0 * * * *"},
      {"@daily", "0 0 * * *"},
      {"@midnight", "0 0 * * *"},
      {"@weekly", "0 0 * * 0"},
      {"@monthly", "0 0 1 * *"},
      {"@yearly", "0 0 1 1 *"},
      {"@annually", "0 0 1 1 *"},
  }};
  for (const auto& [name, fields] : kNames)
    if (text == name) return fields;
  return text;
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t", i);
    if (begin == std::string_view::npos) break;
    i = std::min(text.find_first_of(" \t", begin), text.size());
    words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view text) {
  const std::vector<std::string_view> words = Words(Spelt(Trim(text)));
  if (words.size() != Fields().size())
    return Fail({ExitCode::kUsage, "\"" + std::string(text) + "\" is not a valid schedule", "",
                 "five fields: minute, hour, day of month, month, day of week, e.g. \"0 2 * * "
                 "mon-fri\"; or @hourly, @daily, @weekly, @monthly, @yearly"});
  CronSchedule schedule;
  EBB_RETURN_IF_ERROR(ReadField(0, words[0], schedule.minutes_));
  EBB_RETURN_IF_ERROR(ReadField(1, words[1], schedule.hours_));
  EBB_RETURN_IF_ERROR(ReadField(2, words[2], schedule.days_of_month_));
  EBB_RETURN_IF_ERROR(ReadField(3, words[3], schedule.months_));
  EBB_RETURN_IF_ERROR(ReadField(4, words[4], schedule.days_of_week_));
  schedule.any_day_of_month_ = words[2].starts_with('*');
  schedule.any_day_of_week_ = words[4].starts_with('*');
  const sys_days some_day{};
  for (int i = 0; i < kDaysOfTheCalendar; ++i)
    if (schedule.MatchesDay(some_day + days{i})) return schedule;
  return Fail({ExitCode::kUsage, "\"" + std::string(text) + "\" is never due", "",
               "no month that it names has a day that it names"});
}

bool CronSchedule::MatchesDay(sys_days day) const {
  const std::chrono::year_month_day date{day};
  if (!months_.test(static_cast<unsigned>(date.month()))) return false;
  const bool of_month = days_of_month_.test(static_cast<unsigned>(date.day()));
  const bool of_week = days_of_week_.test(std::chrono::weekday{day}.c_encoding());
  if (any_day_of_month_ || any_day_of_week_) return of_month && of_week;
  return of_month || of_week;
}

bool CronSchedule::MatchesMinute(Time local) const {
  const auto day = std::chrono::floor<days>(local);
  const auto minute = std::chrono::floor<minutes>(local - day).count();
  return MatchesDay(day) && hours_.test(static_cast<std::size_t>(minute / 60)) &&
         minutes_.test(static_cast<std::size_t>(minute % 60));
}

std::optional<Time> CronSchedule::NextAfter(Time after, const UtcOffset& offset) const {
  const auto local_of = [&](Time time) { return time + offset(time); };
  const bool every_hour = hours_.all();
  const Time shown = std::chrono::floor<minutes>(local_of(after));
  Time time = std::chrono::floor<minutes>(after) + minutes{1};
  const Time end = after + days{kMostDays};
  while (time < end) {
    const Time local = local_of(time);
    const Time before = local_of(time - minutes{1});
    // A minute that the clock jumps over is due right after the jump.
    for (Time skipped = before + minutes{1}; skipped < local; skipped += minutes{1})
      if (MatchesMinute(skipped)) return time;
    if ((every_hour || local > shown) && MatchesMinute(local)) return time;
    // The search skips the rest of a day if no matching day is near, but not around a jump of the
    // clock into one.
    const auto day = std::chrono::floor<days>(local);
    const bool quiet = !MatchesDay(day) && !MatchesDay(day + days{1}) &&
                       (!MatchesDay(day + days{2}) || offset(time) == offset(time + days{2}));
    time += quiet ? std::chrono::ceil<minutes>(day + days{1} - local) : minutes{1};
  }
  return std::nullopt;
}

}  // namespace ebb::core
