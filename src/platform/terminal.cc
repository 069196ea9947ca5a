#include "platform/terminal.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/text.h"

namespace ebb::platform {
namespace {

constexpr std::size_t kUsualColumns = 80, kUsualRows = 24;

bool CanRewriteLines() {
  const char* kind = std::getenv("TERM");
  return kind && std::string_view(kind) != "dumb";
}

// The number of columns that the user set in COLUMNS; 0 if none.
std::size_t AskedColumns() {
  const char* text = std::getenv("COLUMNS");
  const auto columns = ParseInteger(text ? text : "");
  return columns && *columns > 0 ? static_cast<std::size_t>(*columns) : 0;
}

// The size of the terminal; zero if unknown.
winsize SizeOf(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

// In a pipe or a file only COLUMNS limits the length of a line.
std::size_t ColumnsBehind(int descriptor) {
  if (const std::size_t asked = AskedColumns()) return asked;
  if (!::isatty(descriptor)) return std::numeric_limits<std::size_t>::max();
  const std::size_t columns = SizeOf(descriptor).ws_col;
  return columns > 0 ? columns : kUsualColumns;
}

}  // namespace

bool StderrIsTerminal() { return ::isatty(STDERR_FILENO) && CanRewriteLines(); }
bool StdinIsTerminal() { return ::isatty(STDIN_FILENO) != 0; }

void WriteErrorsByLine() {
  if (!::isatty(STDERR_FILENO)) std::setvbuf(stderr, nullptr, _IOLBF, BUFSIZ);
}

Result<std::string> ReadSecretFromTerminal(const std::string& prompt) {
  constexpr char kCtrlC = 3, kCtrlD = 4, kCtrlU = 21, kBackspace = 8, kDelete = 127;
  termios before{};
  if (::tcgetattr(STDIN_FILENO, &before) != 0)
    return Fail({ExitCode::kUsage, "standard input is not a terminal", "", ""});
  // Ctrl-C and similar keys arrive as characters, so that no signal ends the program before the
  // echo is back.
  termios hidden = before;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden);
  std::fputs(prompt.c_str(), stderr);
  std::string line;
  char last = kCtrlD;
  while (::read(STDIN_FILENO, &last, 1) == 1) {
    if (last == '\n' || last == '\r' || last == kCtrlC || last == kCtrlD) break;
    if (last == kCtrlU)
      line.clear();
    else if (last != kBackspace && last != kDelete)
      line += last;
    else if (!line.empty())
      line.pop_back();
  }
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  if (last == kCtrlC) return Fail({ExitCode::kTryLater, "interrupted", "", ""});
  return std::string(Trim(line));
}

bool StdoutIsTerminal() { return ::isatty(STDOUT_FILENO) && CanRewriteLines(); }

std::size_t TerminalColumns() {
  if (const std::size_t asked = AskedColumns()) return asked;
  const std::size_t columns = SizeOf(STDERR_FILENO).ws_col;
  return columns > 0 ? columns : kUsualColumns;
}

std::size_t StderrColumns() { return ColumnsBehind(STDERR_FILENO); }
std::size_t StdoutColumns() { return ColumnsBehind(STDOUT_FILENO); }

std::size_t StdoutRows() {
  const std::size_t rows = SizeOf(STDOUT_FILENO).ws_row;
  return rows > 0 ? rows : kUsualRows;
}

}  // namespace ebb::platform
