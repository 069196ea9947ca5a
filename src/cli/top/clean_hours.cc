#include "cli/top/clean_hours.h"

#include <algorithm>
#include <numeric>

namespace ebb::cli {
namespace {

constexpr std::chrono::hours kAhead{24}, kFewest{2};
constexpr double kAlike = 0.05;  // of the mean

Duration LengthOf(const std::vector<HourValue>& hours) {
  return std::accumulate(
      hours.begin(), hours.end(), Duration{0},
      [](Duration sum, const HourValue& hour) { return sum + hour.time.length(); });
}

double MeanOf(const std::vector<HourValue>& hours) {
  double sum = 0;
  for (const HourValue& hour : hours) sum += hour.g_per_kwh * Seconds(hour.time.length());
  return sum / Seconds(LengthOf(hours));
}

// The value at or below which at least a third of the time lies, in this order of the hours.
double AtThird(std::vector<HourValue> hours, bool from_above) {
  std::ranges::sort(hours, [&](const HourValue& a, const HourValue& b) {
    return from_above ? a.g_per_kwh > b.g_per_kwh : a.g_per_kwh < b.g_per_kwh;
  });
  const Duration third = LengthOf(hours) / 3;
  Duration sum{0};
  for (const HourValue& hour : hours)
    if ((sum += hour.time.length()) >= third) return hour.g_per_kwh;
  return hours.back().g_per_kwh;
}

// The first stretch of hours at or below a value.
std::vector<HourValue> FirstStretch(const std::vector<HourValue>& hours, double highest) {
  const auto is_clean = [&](const HourValue& hour) { return hour.g_per_kwh <= highest; };
  const auto first = std::ranges::find_if(hours, is_clean);
  return {first, std::find_if_not(first, hours.end(), is_clean)};
}

void AddSeries(const JsonNode* series, Time from, std::vector<HourValue>& hours) {
  if (!series) return;
  for (const JsonNode& point : series->items) {
    if (point.items.size() < 3) continue;
    const auto begin = point.items[0].AsNumber(), end = point.items[1].AsNumber(),
               value = point.items[2].AsNumber();
    if (!begin || !end || !value) continue;
    const auto moment = [](double milliseconds) {
      return Time{Duration{static_cast<std::int64_t>(milliseconds)}};
    };
    // A later series goes on where the one before it ends.
    const Time after = hours.empty() ? from : hours.back().time.end;
    const Interval time{std::max(moment(*begin), after), moment(*end)};
    if (time.length() > Duration::zero()) hours.push_back({time, *value});
  }
}

}  // namespace

std::string_view Name(Cleanness cleanness) {
  switch (cleanness) {
    case Cleanness::kClean:
      return "clean";
    case Cleanness::kDirty:
      return "dirty";
    default:
      return "neither clean nor dirty";
  }
}

std::vector<HourValue> HoursOfSite(const JsonNode& site, Time now) {
  std::vector<HourValue> hours;
  AddSeries(site.Find("known"), now, hours);
  AddSeries(site.Find("forecast"), now, hours);
  // Behind a gap nothing is said: it may have been the cleanest hour.
  for (std::size_t i = 0; i < hours.size(); ++i)
    if (hours[i].time.begin != (i == 0 ? now : hours[i - 1].time.end)) {
      hours.resize(i);
      break;
    }
  return hours;
}

std::optional<CleanHours> CleanHoursOf(const std::vector<HourValue>& all, Time now) {
  std::vector<HourValue> hours;
  for (HourValue hour : all) {
    hour.time = Overlap(hour.time, {now, now + kAhead});
    if (hour.time.length() > Duration::zero()) hours.push_back(hour);
  }
  if (LengthOf(hours) < kFewest) return std::nullopt;
  const auto [lowest, highest] = std::ranges::minmax(hours, {}, &HourValue::g_per_kwh);
  if (highest.g_per_kwh - lowest.g_per_kwh <= kAlike * MeanOf(hours)) return std::nullopt;
  const double clean = AtThird(hours, false), dirty = AtThird(hours, true);
  const double current = hours.front().g_per_kwh;
  const std::vector<HourValue> next = FirstStretch(hours, clean);
  CleanHours found;
  if (current <= clean)
    found.now = Cleanness::kClean;
  else if (current >= dirty)
    found.now = Cleanness::kDirty;
  found.next = {next.front().time.begin, next.back().time.end};
  found.g_per_kwh = MeanOf(next);
  return found;
}

}  // namespace ebb::cli
