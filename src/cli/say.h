#pragma once
// What people read on standard error, and running text for standard output: wrapped at words to the
// terminal's width, and as it is into a pipe or a file (platform::StderrColumns).

#include <string>

namespace ebb::cli {

/// A line, or several.
void Say(const std::string& text);
/// "note: ..." without the control characters of what it may quote.
void SayNote(const std::string& note);
/// `text` as standard output shows it.
std::string ForStdout(const std::string& text);

}  // namespace ebb::cli
