#pragma once
// The abilities and the size of the terminal. Live lines and colours appear only on a terminal.
// COLUMNS, if it is a positive number, takes precedence over the width that the terminal reports.

#include <cstddef>
#include <string>

#include "base/result.h"

namespace ebb::platform {

/// True if standard error, which shows progress, is a terminal that can rewrite a line.
bool StderrIsTerminal();
bool StdoutIsTerminal();
/// True if standard input is a terminal, so that the user can be asked.
bool StdinIsTerminal();
/// Reads a line from the terminal behind standard input without showing the typed text, and trims
/// the spaces around it. The prompt goes to standard error after the echo is off. Fails with
/// kTryLater if Ctrl-C was typed. The terminal's mode is restored.
Result<std::string> ReadSecretFromTerminal(const std::string& prompt);
/// If standard error is not a terminal, its lines are written whole from now on, so that text of
/// other processes in the same file does not break them up. glibc writes a long line in pieces from
/// 2.37 on. On a terminal, which also shows lines that are not yet whole, nothing changes.
void WriteErrorsByLine();
/// Columns of the terminal behind standard error, 80 if unknown.
std::size_t TerminalColumns();
/// Columns for lines on standard error that stay. In a pipe or a file only COLUMNS limits them.
std::size_t StderrColumns();
/// Columns for lines on standard output. In a pipe or a file only COLUMNS limits them.
std::size_t StdoutColumns();
/// Lines of the terminal behind standard output, 24 if unknown.
std::size_t StdoutRows();

}  // namespace ebb::platform
