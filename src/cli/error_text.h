#pragma once
// An error as a person at a terminal reads it. Its words may quote what others wrote, a damaged
// file or the name of a job: a terminal would act on the control characters in that. Its times are
// in UTC, and the person's clock may be another.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/local_times.h"

namespace ebb::cli {

/// Each control character but the line break is a "?".
std::string PrintableLines(std::string_view text);
/// Times as `times` has them, but for what was typed or is to be typed: text in double quotes,
/// paths, addresses and values of flags ("--grid-start 2023-05-01T00:00:00Z").
std::string ForPerson(std::string_view text, const LocalTimes& times);
/// The message, printable and with the times of this moment's clock.
std::string ErrorText(const Error& error);

}  // namespace ebb::cli
