#include "app/slurm/slurm_moment.h"

#include <array>
#include <optional>

#include "app/options/when.h"
#include "base/text.h"

namespace ebb::app {
namespace {

struct Unit {
  const char* name;
  Duration length;
};
constexpr std::array<Unit, 5> kUnits{{{"second", std::chrono::seconds{1}},
                                      {"minute", std::chrono::minutes{1}},
                                      {"hour", std::chrono::hours{1}},
                                      {"day", std::chrono::days{1}},
                                      {"week", std::chrono::weeks{1}}}};

struct TimeOfDay {
  const char* name;
  const char* time;
};
constexpr std::array<TimeOfDay, 5> kTimesOfDay{{{"midnight", "00:00"},
                                                {"noon", "12:00"},
                                                {"elevenses", "11:00"},
                                                {"fika", "15:00"},
                                                {"teatime", "16:00"}}};

// "+1hour", "+ 90", "+2days": the distance from now.
std::optional<Duration> DistanceOf(std::string_view text) {
  if (text.empty()) return Duration::zero();
  if (text.front() != '+') return std::nullopt;
  text = Trim(text.substr(1));
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = ParseInteger(std::string(text.substr(0, digits)));
  constexpr std::int64_t kMost = 1'000'000'000;
  if (!count || *count > kMost) return std::nullopt;
  std::string_view unit = Trim(text.substr(digits));
  if (unit.ends_with('s')) unit.remove_suffix(1);
  if (unit.empty()) unit = kUnits.front().name;
  for (const Unit& each : kUnits)
    if (unit == each.name) return *count * each.length;
  return std::nullopt;
}

}  // namespace

Result<Time> SlurmMomentOf(const std::string& option, const std::string& text, Time now,
                           const prices::ZoneClock& zone) {
  std::string lower = Lowercase(Trim(text));
  if (lower.starts_with("uts")) {
    if (const auto seconds = ParseInteger(lower.substr(3)))
      return Time{std::chrono::seconds{*seconds}};
  }
  if (lower.starts_with("now")) {
    if (const auto distance = DistanceOf(Trim(std::string_view(lower).substr(3))))
      return now + *distance;
  }
  for (const TimeOfDay& each : kTimesOfDay)
    if (lower == each.name) lower = each.time;
  // WhenOf reads times of day to the minute.
  Duration seconds{};
  if (lower.size() == 8 && lower[2] == ':' && lower[5] == ':') {
    seconds = std::chrono::seconds{ParseInteger(lower.substr(6)).value_or(0)};
    lower.resize(5);
  }
  const bool is_date = lower.size() >= 10 && lower[4] == '-' && lower[7] == '-';
  auto moment = is_date ? MomentOf(option, std::string(Trim(text)), zone) : [&]() -> Result<Time> {
    EBB_ASSIGN_OR_RETURN(const When when, WhenOf(option, lower, now, zone));
    if (const auto* at = std::get_if<Time>(&when)) return *at + seconds;
    return Fail({ExitCode::kUsage, "", "", ""});
  }();
  if (moment) return moment;
  return Fail({ExitCode::kUsage, option + ": Ebb does not know the time " + Quoted(text), "",
               "write it like 16:00, 2026-11-28T03:00 or now+6hours"});
}

}  // namespace ebb::app
