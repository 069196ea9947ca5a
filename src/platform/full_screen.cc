#include "platform/full_screen.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <termios.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "platform/terminal.h"

namespace ebb::platform {
namespace {

// The alternate screen, without a cursor and without automatic breaks of long lines; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l";
constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The mode of the terminal before, for the handler of faults too. Set while the screen is taken.
termios mode_before;

// Only calls that are allowed in a handler of a signal.
void PutBack() {
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
}

// The handler is used once, so the fault comes again at its return and ends the process.
void OnFault(int) { PutBack(); }

void HandleFaults(bool ours) {
  struct sigaction action {};
  action.sa_handler = ours ? OnFault : SIG_DFL;
  if (ours) action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int fault : kFaults) ::sigaction(fault, &action, nullptr);
}

sigset_t ResizeSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  return set;
}

// Keys as they are typed, without echo. Ctrl-C stays a signal. Ctrl-Z and Ctrl-S are keys, so that
// nothing stops the program while it has the screen.
termios KeyMode(termios mode) {
  mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN);
  mode.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
  mode.c_cc[VSUSP] = _POSIX_VDISABLE;
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  return mode;
}

}  // namespace

Result<std::unique_ptr<FullScreen>> FullScreen::Open() {
  if (!StdinIsTerminal() || !StdoutIsTerminal() || ::tcgetattr(STDIN_FILENO, &mode_before) != 0)
    return Fail({ExitCode::kUsage, "standard input and output are not a terminal", "", ""});
  const sigset_t set = ResizeSet();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::unique_ptr<FullScreen> screen(
      new FullScreen(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)));
  screen->Enter();
  return screen;
}

FullScreen::~FullScreen() {
  Leave();
  const sigset_t set = ResizeSet();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void FullScreen::Enter() {
  HandleFaults(true);
  const termios mode = KeyMode(mode_before);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode);
  Write(kEnter);
}

void FullScreen::Leave() {
  PutBack();
  HandleFaults(false);
}

void FullScreen::Suspend() {
  Leave();
  ::raise(SIGTSTP);
  Enter();
}

void FullScreen::Write(std::string_view text) {
  while (!text.empty() && !is_gone_) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) is_gone_ = true;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FullScreen::Draw(std::span<const std::string> lines) {
  std::string picture = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i)
    picture += (i > 0 ? "\r\n\x1b[K" : "\x1b[K") + lines[i] + "\x1b[0m";
  // Behind a line that fills its row, an erasure would take its last character.
  if (lines.size() < StdoutRows()) picture += "\r\n\x1b[J";
  Write(picture);
}

std::string FullScreen::Wait(Duration timeout, int other) {
  constexpr Duration kLongest{std::chrono::hours{1}};
  std::array<pollfd, 3> descriptors{
      {{STDIN_FILENO, POLLIN, 0}, {resized_.get(), POLLIN, 0}, {other, POLLIN, 0}}};
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::clamp(timeout, Duration{0}, kLongest).count()));
  signalfd_siginfo resize{};
  while (::read(resized_.get(), &resize, sizeof resize) > 0) {
  }
  if (descriptors[0].revents == 0) return "";
  std::array<char, 256> typed{};
  const ssize_t size = ::read(STDIN_FILENO, typed.data(), typed.size());
  if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) is_gone_ = true;
  return std::string(typed.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

}  // namespace ebb::platform
