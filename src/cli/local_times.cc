#include "cli/local_times.h"

#include <array>
#include <cmath>

#include "app/options/when.h"
#include "base/times_in_text.h"

namespace ebb::cli {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::minutes;

constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// "3d", "10h", "2h 5m", "12m", "20s": people plan no more precisely.
std::string DistanceText(Duration length) {
  using std::chrono::hours;
  const auto text = [](std::int64_t count, const char* unit) {
    return std::to_string(count) + unit;
  };
  if (length >= days{2}) return text(std::chrono::round<days>(length).count(), "d");
  if (length >= hours{10}) return text(std::chrono::round<hours>(length).count(), "h");
  const auto whole = std::chrono::round<minutes>(length);
  if (whole < minutes{1})
    return text(std::chrono::round<std::chrono::seconds>(length).count(), "s");
  const auto rest = whole % hours{1};
  if (whole < hours{1}) return text(whole.count(), "m");
  return text(whole / hours{1}, "h") + (rest > minutes{0} ? " " + text(rest.count(), "m") : "");
}

}  // namespace

std::string LocalTimes::zone() const {
  return zone_ && zone_->name() != "Etc/UTC" ? zone_->name() : "UTC";
}

LocalTimes LocalTimes::Of(Time now) {
  static const auto zone = app::ZoneOfUser("");
  return {zone ? std::optional(*zone) : std::nullopt, now};
}

LocalTimes LocalTimes::OfService(const std::string& now) {
  const auto time = ParseTime(now);
  return time ? Of(*time) : Now();
}

LocalTimes LocalTimes::Now() { return Of(floor<Duration>(std::chrono::system_clock::now())); }

Time LocalTimes::Shown(Time time) const {
  return zone_ ? Time{zone_->LocalOf(time).time_since_epoch()} : time;
}

std::string LocalTimes::Moment(Time time) const {
  const Time shown = Shown(time);
  const auto day = floor<days>(shown), today = floor<days>(Shown(now_));
  if (day == today) return FormatClock(shown);
  if (day > today && day - today < days{7}) return Stamp(time);
  const std::chrono::year_month_day date{day}, now{today};
  if (date.year() != now.year()) return Minute(time);
  return std::to_string(static_cast<unsigned>(date.day())) + " " +
         kMonths[static_cast<unsigned>(date.month()) - 1] + " " + FormatClock(shown);
}

std::string MomentText(Time time) { return LocalTimes::Now().Moment(time); }

std::string LocalTimes::MomentAndDistance(Time time) const {
  const Duration away = time > now_ ? time - now_ : now_ - time;
  if (away < std::chrono::seconds{1}) return Moment(time) + ", now";
  return Moment(time) +
         (time > now_ ? ", in " + DistanceText(away) : ", " + DistanceText(away) + " ago");
}

std::string LocalTimes::Stamp(Time time) const {
  const Time shown = Shown(time);
  return std::string(kDays[std::chrono::weekday{floor<days>(shown)}.c_encoding()]) + " " +
         FormatClock(shown);
}

std::string LocalTimes::Minute(Time time) const {
  std::string text = FormatTime(Shown(time)).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string LocalTimes::InText(std::string_view text) const {
  return WithTimes(text, [this](Time begin, const std::optional<Time>& end) {
    if (!end) return Moment(begin);
    const bool same_day = floor<days>(Shown(begin)) == floor<days>(Shown(*end));
    return Moment(begin) + "-" + (same_day ? FormatClock(Shown(*end)) : Moment(*end));
  });
}

}  // namespace ebb::cli
