#include "platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ebb::platform {
namespace {

bool CanRewriteLines() {
  const char* kind = std::getenv("TERM");
  return kind && std::string_view(kind) != "dumb";
}

}  // namespace

bool StderrIsTerminal() { return ::isatty(STDERR_FILENO) && CanRewriteLines(); }
bool StdoutIsTerminal() { return ::isatty(STDOUT_FILENO) && CanRewriteLines(); }

int TerminalColumns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace ebb::platform
