#pragma once
// What the terminal can show. Live lines and colours appear only where a person looks. COLUMNS, if
// it is a positive number, goes before what the terminal says of its width.

#include <cstddef>
#include <string>

#include "base/result.h"

namespace ebb::platform {

/// Whether standard error (where progress goes) is a terminal that can rewrite a line.
bool StderrIsTerminal();
bool StdoutIsTerminal();
/// Whether somebody can be asked.
bool StdinIsTerminal();
/// A line from the terminal behind standard input that nobody sees typed, without spaces around it.
/// The prompt, to standard error, comes once nothing typed is shown any more. kTryLater: Ctrl-C was
/// typed; the terminal is as before.
Result<std::string> ReadSecretFromTerminal(const std::string& prompt);
/// Where standard error is no terminal, its lines are written whole from now on: what other
/// processes write to the same file does not come between. glibc writes a long line in pieces from
/// 2.37 on. On a terminal, which also shows lines that are not yet whole, nothing changes.
void WriteErrorsByLine();
/// Columns of the terminal behind standard error, 80 where unknown.
std::size_t TerminalColumns();
/// The same behind standard error for lines that stay: into a pipe or a file nothing limits them
/// but COLUMNS.
std::size_t StderrColumns();
/// The same behind standard output. Into a pipe or a file nothing limits a line but COLUMNS.
std::size_t StdoutColumns();
/// Lines of the terminal behind standard output, 24 where unknown.
std::size_t StdoutRows();

}  // namespace ebb::platform
