#include "base/times_in_text.h"

#include <utility>

#include "base/result.h"

namespace ebb {
namespace {

constexpr std::string_view kUtc = " UTC";

// A time or a span of times inside a text, with its length in characters.
struct Written {
  Time begin;
  std::optional<Time> end;  ///< end of a span such as "11:00-13:00"
  std::size_t length = 0;
};

// The number of characters at the beginning of the text that form a time in ISO 8601; 0 if none do.
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

std::string MinuteText(Time time) {
  return FormatTime(time).substr(0, 10) + " " + FormatClock(time);
}

std::string SpanText(Time begin, Time end) {
  const std::string from = MinuteText(begin), to = MinuteText(end);
  const bool same_day = from.substr(0, 10) == to.substr(0, 10);
  return from + "-" + (same_day ? FormatClock(end) : to);
}

std::string WithTimes(
    std::string_view text,
    const std::function<std::string(Time begin, const std::optional<Time>& end)>& told) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool inside_number = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
    const auto written = inside_number ? std::nullopt : WrittenAt(text.substr(i));
    if (!written) {
      result += text[i++];
      continue;
    }
    result += told(written->begin, written->end);
    i += written->length;
    if (text.substr(i).starts_with(kUtc)) i += kUtc.size();
  }
  return result;
}

std::string InUtc(std::string_view text) {
  return WithTimes(text, [](Time begin, const std::optional<Time>& end) {
    return (end ? SpanText(begin, *end) : MinuteText(begin)) + std::string(kUtc);
  });
}

std::string RoundDurationText(Duration duration) {
  std::string text = FormatDuration(duration);
  if (const auto blank = text.find(" 0"); blank != std::string::npos) return text.substr(0, blank);
  const auto fraction = text.find(".0s");
  return fraction == std::string::npos ? text : text.substr(0, fraction) + "s";
}

}  // namespace ebb
