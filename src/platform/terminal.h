#pragma once
// What the terminal can show. Live lines and colours appear only where a person looks.

namespace ebb::platform {

/// Whether standard error (where progress goes) is a terminal that can rewrite a line.
bool StderrIsTerminal();
bool StdoutIsTerminal();
/// Columns of the terminal, 80 where unknown.
int TerminalColumns();

}  // namespace ebb::platform
