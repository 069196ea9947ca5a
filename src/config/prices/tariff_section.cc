#include "config/prices/tariff_section.h"

#include <algorithm>
#include <array>

#include "config/yaml/list_reader.h"

namespace ebb::config {
namespace {

using prices::Holiday;
using prices::RateWindow;
using prices::Season;
using prices::Tariff;

namespace chr = std::chrono;

constexpr Range kRates{-100'000, 100'000};
// The reference's values for a schedule without rates. They are a ratio, not money.
constexpr double kRelativePeak = 1.0, kRelativeOffPeak = 0.5;
constexpr const char* kDefaultCurrency = "USD";
constexpr std::array<std::string_view, 7> kDayNames{"sun", "mon", "tue", "wed",
                                                    "thu", "fri", "sat"};

std::optional<unsigned> WeekdayFrom(std::string_view text) {
  const std::string word = Lowercase(Trim(text));
  if (const auto number = ParseInteger(word))
    return *number >= 0 && *number <= 6 ? std::optional(static_cast<unsigned>(*number))
                                        : std::nullopt;
  for (unsigned day = 0; day < 7; ++day)
    if (word.size() >= 3 && word.starts_with(kDayNames[day])) return day;
  return std::nullopt;
}

// A set of days from "1-5", "0,6" or "Mon-Fri"; a range may cross the end of the week.
std::optional<unsigned> WeekdaysFrom(std::string_view text) {
  unsigned days = 0;
  for (const std::string_view part : Split(text, ',')) {
    const auto ends = Split(part, '-');
    const auto first = WeekdayFrom(ends.front()), last = WeekdayFrom(ends.back());
    if (ends.size() > 2 || !first || !last) return std::nullopt;
    for (unsigned day = *first;; day = (day + 1) % 7) {
      days |= 1U << day;
      if (day == *last) break;
    }
  }
  return days;
}

// A clock time ("16:00") in minutes; an end may be 24:00.
std::optional<int> MinuteFrom(std::string_view text) {
  const auto parts = Split(Trim(text), ':');
  if (parts.size() != 2 || parts[0].empty() || parts[0].size() > 2 || parts[1].size() != 2)
    return std::nullopt;
  const auto hours = ParseInteger(parts[0]), minutes = ParseInteger(parts[1]);
  if (!hours || !minutes || *hours < 0 || *minutes < 0 || *minutes > 59) return std::nullopt;
  const auto minute = static_cast<int>(std::min(*hours, 100LL) * 60 + *minutes);
  return minute <= prices::kMinutesOfDay ? std::optional(minute) : std::nullopt;
}

// A day of the year such as "06-01".
std::optional<chr::month_day> MonthDayFrom(std::string_view text) {
  const auto parts = Split(Trim(text), '-');
  if (parts.size() != 2) return std::nullopt;
  const auto month = ParseInteger(parts[0]), day = ParseInteger(parts[1]);
  if (!month || !day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
  const chr::month_day date{chr::month{static_cast<unsigned>(*month)},
                            chr::day{static_cast<unsigned>(*day)}};
  return date.ok() ? std::optional(date) : std::nullopt;
}

struct ScheduleKeys {
  Given<std::string> name, days, start, end, zone;
  Given<double> peak, off_peak, rate;
  Given<YamlNode> season;
};

std::vector<KeyRule> ScheduleRules(ScheduleKeys& keys) {
  return {ReadText("name", keys.name),
          ReadText("dayOfWeek", keys.days),
          ReadText("startTime", keys.start),
          ReadText("endTime", keys.end),
          ReadText("timezone", keys.zone),
          ReadNumber("peakRate", keys.peak, kRates),
          ReadNumber("offPeakRate", keys.off_peak, kRates),
          ReadNumber("rate", keys.rate, kRates),
          ReadNode("season", keys.season)};
}

std::optional<Season> SeasonOf(const Given<YamlNode>& node, Problems& problems) {
  if (!node) return std::nullopt;
  Given<std::string> from, to;
  const std::vector<KeyRule> rules{ReadText("from", from), ReadText("to", to)};
  ReadSection(*node, "season", rules, {}, problems);
  const auto first = MonthDayFrom(from.value_or("")), last = MonthDayFrom(to.value_or(""));
  if (!first || !last) {
    problems.Add(node.line, "season needs from and to, each a month and a day like 06-01");
    return std::nullopt;
  }
  return Season{*first, *last};
}

void SetTimes(const ScheduleKeys& keys, int line, RateWindow& window, Problems& problems) {
  if (!keys.start || !keys.end)
    return problems.Add(line, "a schedule needs startTime and endTime, like \"16:00\"");
  const auto begin = MinuteFrom(*keys.start), end = MinuteFrom(*keys.end);
  if (!begin || *begin == prices::kMinutesOfDay)
    return problems.Add(keys.start.line, "startTime must be a time from 00:00 to 23:59, and \"" +
                                             *keys.start + "\" is not");
  if (!end)
    return problems.Add(keys.end.line, "endTime must be a time from 00:00 to 24:00, and \"" +
                                           *keys.end + "\" is not");
  window.begin_minute = *begin;
  window.end_minute = *end == 0 ? prices::kMinutesOfDay : *end;
  if (*begin == *end)
    problems.Add(keys.end.line, "the schedule ends when it begins: a whole day is 00:00 to 24:00");
}

void SetRates(const ScheduleKeys& keys, bool flat, int line, RateWindow& window,
              Problems& problems) {
  if (keys.rate) {
    if (keys.peak) problems.Add(keys.peak.line, "rate and peakRate mean the same: leave one out");
    window.per_kwh = *keys.rate;
    window.off_peak_per_kwh = keys.off_peak.value;
  } else if (keys.peak && (keys.off_peak || flat)) {
    window.per_kwh = *keys.peak;
    window.off_peak_per_kwh = keys.off_peak.value;
    if (keys.off_peak && *keys.peak <= *keys.off_peak)
      problems.Add(keys.peak.line,
                   "peakRate must be above offPeakRate; the rate of a cheap window "
                   "is given as rate");
  } else if (!keys.peak && !keys.off_peak && !flat) {
    window.per_kwh = kRelativePeak;
    window.off_peak_per_kwh = kRelativeOffPeak;
  } else {
    problems.Add(line, "a schedule has peakRate and offPeakRate, or neither");
  }
  if (flat && keys.off_peak)
    problems.Add(keys.off_peak.line,
                 "offPeakRate and the tariff's flatRate mean the same: leave one out");
}

void ReadSchedule(const YamlNode& node, bool flat, Tariff& tariff, bool& relative,
                  Problems& problems) {
  ScheduleKeys keys;
  const std::vector<KeyRule> rules = ScheduleRules(keys);
  ReadSection(node, "schedules", rules, {}, problems);
  if (node.kind != YamlNode::Kind::kMap) return;
  if (!keys.zone)
    return problems.Add(node.line, "a schedule needs a timezone, like America/Los_Angeles");
  auto clock = prices::ZoneClock::Find(*keys.zone);
  if (!clock)
    return problems.Add(keys.zone.line, clock.error().what + " (" + clock.error().next + ")");
  RateWindow window{
      .name = keys.name.value_or("schedule " + std::to_string(tariff.windows.size() + 1)),
      .clock = *std::move(clock),
      .season = {},
      .off_peak_per_kwh = {}};
  if (keys.days) {
    const auto days = WeekdaysFrom(*keys.days);
    if (!days)
      problems.Add(keys.days.line,
                   "dayOfWeek must be days like \"1-5\", \"0,6\" or \"Mon-Fri\", "
                   "0 for Sunday, and \"" +
                       *keys.days + "\" is not");
    window.weekdays = days.value_or(0);
  }
  window.season = SeasonOf(keys.season, problems);
  SetTimes(keys, node.line, window, problems);
  SetRates(keys, flat, node.line, window, problems);
  if (!keys.peak && !keys.rate) relative = true;
  tariff.windows.push_back(std::move(window));
}

// A date ("2026-12-25"), or a day of every year ("12-25").
std::optional<Holiday> DayFrom(std::string_view text) {
  text = Trim(text);
  if (const auto day = MonthDayFrom(text)) return Holiday{std::nullopt, *day, std::nullopt};
  const auto time = text.size() == 10 ? ParseTime(text) : Fail({});
  if (!time) return std::nullopt;
  const chr::year_month_day date{chr::floor<chr::days>(*time)};
  return Holiday{date.year(), date.month() / date.day(), std::nullopt};
}

void ReadHoliday(const YamlNode& node, Tariff& tariff, Problems& problems) {
  Given<std::string> date, as;
  if (node.kind == YamlNode::Kind::kScalar) {
    date = {node.text, node.line};
  } else {
    std::vector<std::string> choices{"off-peak"};
    for (const std::string_view day :
         {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"})
      choices.emplace_back(day);
    const std::vector<KeyRule> rules{ReadText("date", date), ReadChoice("as", as, choices)};
    ReadSection(node, "holidays", rules, {}, problems);
  }
  auto holiday = DayFrom(date.value_or(""));
  if (!holiday)
    return problems.Add(node.line,
                        "a holiday must be a date like 2026-12-25, or 12-25 for every year");
  if (as && *as != "off-peak") holiday->as_weekday = WeekdayFrom(*as);
  tariff.holidays.push_back(*holiday);
}

}  // namespace

std::vector<KeyRule> TariffRules(TariffKeys& keys) {
  return {ReadText("name", keys.name), ReadText("currency", keys.currency),
          ReadNumber("flatRate", keys.flat_rate, kRates), ReadNode("schedules", keys.schedules),
          ReadNode("holidays", keys.holidays)};
}

Tariff ResolveTariff(const TariffKeys& keys, const std::string& stem, Problems& problems) {
  Tariff tariff;
  tariff.flat_per_kwh = keys.flat_rate.value;
  if (!keys.schedules && !keys.flat_rate)
    problems.Add(0, "the file needs schedules, flatRate or day_ahead: what does electricity cost?");
  bool relative = false;
  if (keys.schedules)
    ReadEach("schedules", *keys.schedules, problems, [&](const YamlNode& node, Problems& found) {
      ReadSchedule(node, bool{keys.flat_rate}, tariff, relative, found);
    });
  if (keys.holidays)
    ReadEach("holidays", *keys.holidays, problems,
             [&](const YamlNode& node, Problems& found) { ReadHoliday(node, tariff, found); });
  const bool priced = std::any_of(tariff.windows.begin(), tariff.windows.end(),
                                  [](const RateWindow& w) { return w.off_peak_per_kwh; });
  if (problems.empty() && !priced && !tariff.flat_per_kwh)
    problems.Add(keys.schedules.line,
                 "no rate is given for the time outside of the schedules: offPeakRate or flatRate");
  if (relative && keys.currency)
    problems.Add(keys.currency.line, "a schedule has no rates, so there is no money to count");
  tariff.identity.currency = relative ? "" : keys.currency.value_or(kDefaultCurrency);
  tariff.identity.source = "tariff " + keys.name.value_or(stem);
  return tariff;
}

}  // namespace ebb::config
