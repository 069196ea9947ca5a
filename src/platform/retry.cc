#include "platform/retry.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ebb::platform {
namespace {

// Parses "Wed, 21 Oct 2015 07:28:00 GMT", the only form that servers may send today.
std::optional<Time> HttpDate(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto parts = Split(text, ' ');
  if (parts.size() != 6 || parts[5] != "GMT") return std::nullopt;
  const auto month = std::find(kMonths.begin(), kMonths.end(), parts[2]);
  if (month == kMonths.end()) return std::nullopt;
  const auto number = month - kMonths.begin() + 1;
  const std::string date = std::string(parts[3]) + (number < 10 ? "-0" : "-") +
                           std::to_string(number) + "-" + std::string(parts[1]);
  const auto time = ParseTime(date + "T" + std::string(parts[4]) + "Z");
  return time ? std::optional<Time>(*time) : std::nullopt;
}

}  // namespace

bool MayRetry(int status) { return status == 408 || status == 429 || status >= 500; }

bool MayRetry(const Error& error) { return error.code == ExitCode::kUnavailable; }

Duration WaitAfter(int failures, const BackOff& back_off, Random& random) {
  const int doublings = std::clamp(failures - 1, 0, 30);
  const Duration wait = std::min(back_off.first * (std::int64_t{1} << doublings), back_off.longest);
  return DurationFromSeconds(Seconds(wait) * random.Uniform(0.5, 1));
}

std::optional<Duration> RetryAfter(std::string_view header, Time now) {
  constexpr long long kLongestSeconds = 86'400;
  if (const auto seconds = ParseInteger(header)) {
    if (*seconds < 0) return std::nullopt;
    return std::chrono::seconds{std::min(*seconds, kLongestSeconds)};
  }
  const auto date = HttpDate(header);
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration::zero(), std::chrono::seconds{kLongestSeconds});
}

}  // namespace ebb::platform
