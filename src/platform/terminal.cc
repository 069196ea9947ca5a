#include "platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

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

// What a person asked for; 0: nothing.
std::size_t AskedColumns() {
  const char* text = std::getenv("COLUMNS");
  const auto columns = ParseInteger(text ? text : "");
  return columns && *columns > 0 ? static_cast<std::size_t>(*columns) : 0;
}

// Zero where it is unknown.
winsize SizeOf(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

}  // namespace

bool StderrIsTerminal() { return ::isatty(STDERR_FILENO) && CanRewriteLines(); }
bool StdoutIsTerminal() { return ::isatty(STDOUT_FILENO) && CanRewriteLines(); }
bool StdinIsTerminal() { return ::isatty(STDIN_FILENO) != 0; }

std::size_t TerminalColumns() {
  if (const std::size_t asked = AskedColumns()) return asked;
  const std::size_t columns = SizeOf(STDERR_FILENO).ws_col;
  return columns > 0 ? columns : kUsualColumns;
}

std::size_t StdoutColumns() {
  if (const std::size_t asked = AskedColumns()) return asked;
  if (!::isatty(STDOUT_FILENO)) return std::numeric_limits<std::size_t>::max();
  const std::size_t columns = SizeOf(STDOUT_FILENO).ws_col;
  return columns > 0 ? columns : kUsualColumns;
}

std::size_t StdoutRows() {
  const std::size_t rows = SizeOf(STDOUT_FILENO).ws_row;
  return rows > 0 ? rows : kUsualRows;
}

}  // namespace ebb::platform
