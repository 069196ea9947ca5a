#include "cli/local_times.h"

#include <array>
#include <cmath>

#include "app/options/when.h"

namespace ebb::cli {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::minutes;

constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// "3d", "10h", "2h 5m", "12m", "20s": nobody plans by more than that.
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

// A time inside a text: where it ends, and what it means.
struct Written {
  Time begin;
  std::optional<Time> end;  ///< of "11:00-13:00"
  std::size_t length = 0;
};

// The characters that a time in ISO 8601 may have from here on.
std::size_t LengthOfTime(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd?dd:dd";
  if (text.size() < kShape.size()) return 0;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' && !digit) return 0;
    if (kShape[i] == '?' && text[i] != 'T' && text[i] != ' ') return 0;
    if ((kShape[i] == '-' || kShape[i] == ':') && text[i] != kShape[i]) return 0;
  }
  std::size_t length = kShape.size();
  const auto digits = [&](std::size_t at) {
    std::size_t count = 0;
    while (at + count < text.size() && text[at + count] >= '0' && text[at + count] <= '9') ++count;
    return count;
  };
  if (length < text.size() && text[length] == ':' && digits(length + 1) == 2) length += 3;
  if (length < text.size() && text[length] == '.' && digits(length + 1) > 0)
    length += 1 + digits(length + 1);
  return length < text.size() && text[length] == 'Z' ? length + 1 : length;
}

std::optional<Written> WrittenAt(std::string_view text) {
  const std::size_t length = LengthOfTime(text);
  const auto begin = length > 0 ? ParseTime(text.substr(0, length)) : Fail(Error{});
  if (!begin) return std::nullopt;
  Written written{*begin, std::nullopt, length};
  const std::string_view rest = text.substr(length);
  if (!rest.starts_with('-')) return written;
  if (const std::size_t second = LengthOfTime(rest.substr(1))) {
    if (const auto end = ParseTime(rest.substr(1, second)))
      return Written{*begin, *end, length + 1 + second};
  }
  const std::string same_day = std::string(text.substr(0, 11)) + std::string(rest.substr(1, 5));
  if (LengthOfTime(same_day) != same_day.size()) return written;
  if (const auto end = ParseTime(same_day)) return Written{*begin, *end, length + 6};
  return written;
}

}  // namespace

std::string LocalTimes::zone() const {
  return zone_ && zone_->name() != "Etc/UTC" ? zone_->name() : "UTC";
}

LocalTimes LocalTimes::Of(Time now) {
  static const auto zone = app::ZoneOfUser("");
  return {zone ? std::optional(*zone) : std::nullopt, now};
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
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool inside_number = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
    const auto written = inside_number ? std::nullopt : WrittenAt(text.substr(i));
    if (!written) {
      result += text[i++];
      continue;
    }
    result += Moment(written->begin);
    if (written->end) {
      const bool same_day = floor<days>(Shown(written->begin)) == floor<days>(Shown(*written->end));
      result += "-" + (same_day ? FormatClock(Shown(*written->end)) : Moment(*written->end));
    }
    i += written->length;
  }
  return result;
}

}  // namespace ebb::cli
