#pragma once
// Text for people on standard error, and running text for standard output. On a terminal it is
// wrapped at words to the width; in a pipe or a file it stays unchanged (platform::StderrColumns).

#include <string>

namespace ebb::cli {

/// A line, or several.
void Say(const std::string& text);
/// "note: ..." without the control characters of what it may quote.
void SayNote(const std::string& note);
/// `text` as standard output shows it.
std::string ForStdout(const std::string& text);

}  // namespace ebb::cli
