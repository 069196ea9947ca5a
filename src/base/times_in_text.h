#pragma once
// Times and durations in sentences. The service, its records and the data of the page write times
// in UTC and in one form: "2023-05-01 11:00" and "2023-05-01 11:00-13:00". Code that shows a
// sentence to people converts its times: cli/local_times.h for a terminal, web/format.js for the
// page, and InUtc for an object of a cluster, because people of all zones read it.
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
/// "2023-05-01 11:00-13:00"; the end has its own date if that differs.
std::string SpanText(Time begin, Time end);

/// The text with each time in it replaced by the text that `told` gives for it. Times are
/// "2023-05-01 11:00", spans of them, and times in the form of FormatTime.
std::string WithTimes(
    std::string_view text,
    const std::function<std::string(Time begin, const std::optional<Time>& end)>& told);

/// The text with "UTC" after each time: "expected 2023-05-01 11:00-13:00 UTC; must start by
/// 2023-05-01 12:30 UTC". A second call changes nothing.
std::string InUtc(std::string_view text);

/// FormatDuration without units that are zero: "6m", "2h 5m", "1d". For durations that somebody
/// chose.
std::string RoundDurationText(Duration duration);

}  // namespace ebb
