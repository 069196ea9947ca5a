#pragma once
// Quotes arguments for a POSIX shell, for targets whose format is read by a shell (RayJob
// entrypoints, sbatch scripts). Pure.

#include <span>
#include <string>
#include <string_view>

namespace ebb::sweep {

/// One word that a POSIX shell reads as exactly `word` (POSIX.1-2017, XCU 2.2.2: within single
/// quotes every character is itself). `word` must not hold NUL, which no argument can.
std::string ShellQuote(std::string_view word);
/// The words, quoted where needed, with blanks between.
std::string ShellCommand(std::span<const std::string> words);

/// A condition of bash: the program `ebb` of the PATH is ours. TeX Live has one of this name, too.
inline constexpr const char* kEbbIsInstalled = "[[ $(ebb --version 2> /dev/null) == 'ebb '* ]]";

}  // namespace ebb::sweep
