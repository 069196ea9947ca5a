#pragma once
// Times and durations in sentences. The service, its records and the page's data have them in UTC
// and in one form, "2023-05-01 11:00" and "2023-05-01 11:00-13:00"; who shows a sentence to people
// puts them the way these read them: a terminal by cli/local_times.h, the page by web/format.js, an
// object of a cluster, which people of all zones read, as InUtc has it.
//
// Pure.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace ebb {

/// "2023-05-01 11:00"; seconds are left out.
std::string MinuteText(Time time);
/// "2023-05-01 11:00-13:00", with the second date where it differs.
std::string SpanText(Time begin, Time end);

/// The text with each time in it as `told` has it: "2023-05-01 11:00", a span of them, and times
/// as FormatTime writes them.
std::string WithTimes(
    std::string_view text,
    const std::function<std::string(Time begin, const std::optional<Time>& end)>& told);

/// "expected 2023-05-01 11:00-13:00 UTC; must start by 2023-05-01 12:30 UTC". The same again for
/// what it has made.
std::string InUtc(std::string_view text);

/// FormatDuration without a unit of which there is nothing, "6m", "2h 5m", "1d": of durations that
/// somebody chose.
std::string RoundDurationText(Duration duration);

}  // namespace ebb
