#include "signals/traces/market_times.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "signals/traces/csv_rows.h"

namespace ebb::signals {
namespace {

struct NamedClock {
  std::string_view ending, zone;
};
constexpr std::array<NamedClock, 4> kClocks{{{"utc", "UTC"},
                                             {"cet_cest", "Europe/Brussels"},
                                             {"wet_west", "Europe/Lisbon"},
                                             {"eet_eest", "Europe/Athens"}}};

struct LocalText {
  prices::LocalTime time{};
  std::optional<bool> is_summer;  ///< set if the text has "(CET)" or "(CEST)"
};

// Reads "01/01/2020 00:00:00", "01.01.2020 00:00", "01/01/2020 00:00:00 (CET)".
Result<LocalText> ReadLocal(std::string_view text, const std::string& path, std::size_t line) {
  LocalText local;
  text = Trim(text);
  if (const auto open = text.find('('); open != std::string_view::npos) {
    local.is_summer = text.ends_with("ST)");
    text = Trim(text.substr(0, open));
  }
  if (text.size() < 16)
    return Fail(AtLine(path, line, Quoted(text) + " is not a time", "like 01/01/2024 00:00:00"));
  const std::string iso = std::string(text.substr(6, 4)) + "-" + std::string(text.substr(3, 2)) +
                          "-" + std::string(text.substr(0, 2)) + "T" + std::string(text.substr(11));
  EBB_ASSIGN_OR_RETURN(const Time time, ReadTimeField(iso, path, line));
  local.time = prices::LocalTime{time.time_since_epoch()};
  return local;
}

}  // namespace

Result<std::optional<MarketTimes>> MarketTimes::Named(const std::string& heading,
                                                      const std::string& path) {
  const bool is_unit = heading.starts_with("mtu_");
  if (!is_unit && !heading.starts_with("time_")) return std::optional<MarketTimes>();
  for (const NamedClock& named : kClocks) {
    if (!heading.ends_with("_" + std::string(named.ending))) continue;
    EBB_ASSIGN_OR_RETURN(prices::ZoneClock clock, prices::ZoneClock::Find(std::string(named.zone)));
    return std::optional(MarketTimes(std::move(clock), is_unit));
  }
  if (!is_unit) return std::optional<MarketTimes>();
  return Fail({ExitCode::kConfiguration, "the clock of column " + Quoted(heading) + " is not known",
               path + ":1", "export the file with times in UTC or CET/CEST"});
}

std::optional<Time> MarketTimes::UtcOf(prices::LocalTime local,
                                       std::optional<bool> is_summer) const {
  const Time first = clock_.UtcOf(local);
  if (clock_.LocalOf(first) != local) return std::nullopt;
  const prices::OffsetSpan span = clock_.SpanAt(first);
  if (span.utc.end == Time::max()) return first;
  const Time second = first + (span.offset - clock_.SpanAt(span.utc.end).offset);
  if (second <= first || second < span.utc.end || clock_.LocalOf(second) != local) return first;
  const bool is_second = is_summer ? !*is_summer : before_ && *before_ >= first;
  return is_second ? second : first;
}

Result<std::optional<Interval>> MarketTimes::Read(std::string_view text, const std::string& path,
                                                  std::size_t line) {
  const auto dash = text.find(" - ");
  if (dash == std::string_view::npos)
    return Fail(AtLine(path, line, Quoted(text) + " is not an interval",
                       "like 01/01/2024 00:00:00 - 01/01/2024 01:00:00"));
  EBB_ASSIGN_OR_RETURN(const LocalText begin, ReadLocal(text.substr(0, dash), path, line));
  EBB_ASSIGN_OR_RETURN(const LocalText end, ReadLocal(text.substr(dash + 3), path, line));
  const auto utc = UtcOf(begin.time, begin.is_summer);
  if (!utc) return std::optional<Interval>();
  before_ = utc;
  // Takes the shorter of the distance on the clock and the distance in UTC: the clock's is too long
  // over a skipped hour, and UTC's is too long if the end's clock time lies after a repeated hour.
  Duration length = end.time - begin.time;
  const auto utc_end = UtcOf(end.time, end.is_summer);
  const Duration by_utc = utc_end ? *utc_end - *utc : Duration::zero();
  if (by_utc > Duration::zero())
    length = length > Duration::zero() ? std::min(length, by_utc) : by_utc;
  if (length <= Duration::zero())
    return Fail(AtLine(path, line, "the interval ends before it begins"));
  return std::optional(Interval{*utc, *utc + length});
}

}  // namespace ebb::signals
