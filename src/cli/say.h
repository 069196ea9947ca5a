#pragma once
// Text for people on standard error, and running text for standard output. On a terminal it is
// wrapped at words to the width; in a pipe or a file it stays unchanged (platform::StderrColumns).

#include <string>

namespace ebb::cli {

/// Prints one or more lines.
void Say(const std::string& text);
/// Prints "note: ...", without control characters that the note may quote.
void SayNote(const std::string& note);
/// `text` wrapped for standard output.
std::string ForStdout(const std::string& text);

}  // namespace ebb::cli
