#pragma once
// An error as a person at a terminal reads it. Its words may quote text of others, for example a
// damaged file or the name of a job, and a terminal would act on control characters in that text.
// The Error's times are in UTC; the text has them in the local time of the person.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/local_times.h"

namespace ebb::cli {

/// The text with a "?" for each control character except line breaks.
std::string PrintableLines(std::string_view text);
/// The text with times in the form of `times`. Text that people type stays unchanged: text in
/// double quotes, paths, addresses and values of flags ("--grid-start 2023-05-01T00:00:00Z").
std::string ForPerson(std::string_view text, const LocalTimes& times);
/// The message, printable and with the times of this moment's clock.
std::string ErrorText(const Error& error);

}  // namespace ebb::cli
