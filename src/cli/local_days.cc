#include "cli/local_days.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ebb::cli {
namespace {

// "Europe/Berlin" of /usr/share/zoneinfo/Europe/Berlin.
std::string NameOfMachine() {
  std::error_code code;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", code).string();
  constexpr std::string_view kFolder = "/zoneinfo/";
  const auto at = target.find(kFolder);
  return code || at == std::string::npos ? "UTC" : target.substr(at + kFolder.size());
}

bool SaysItsOffset(const std::string& text) {
  return text.size() > 11 && text.find_first_of("Z+-", 11) != std::string::npos;
}

prices::LocalTime MidnightOf(prices::LocalTime local) {
  return prices::LocalTime{std::chrono::floor<std::chrono::days>(local.time_since_epoch())};
}

}  // namespace

Result<prices::ZoneClock> ZoneOfUser(const std::string& given) {
  if (!given.empty()) return prices::ZoneClock::Find(given);
  const char* variable = std::getenv("TZ");
  std::string name = variable ? variable : "";
  if (name.starts_with(':')) name.erase(0, 1);
  auto zone = prices::ZoneClock::Find(name.empty() ? NameOfMachine() : name);
  if (!zone && !name.empty())
    zone.error().next = "$TZ is not the name of a zone: give --time-zone Europe/Berlin";
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

std::string LocalMinute(Time time, const prices::ZoneClock& zone) {
  std::string text = FormatTime(Time{zone.LocalOf(time).time_since_epoch()}).substr(0, 16);
  text[10] = ' ';
  return text;
}

}  // namespace ebb::cli
