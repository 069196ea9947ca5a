#include "testing/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace ebb {
namespace {

void RunProgram(const std::filesystem::path& directory, const char* program,
                const std::vector<std::string>& words) {
  if (::chdir(directory.c_str()) != 0) ::_exit(99);
  std::vector<char*> argv{const_cast<char*>(program)};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(program, argv.data());
  ::_exit(98);
}

// Makes a terminal that of this process, and its standard files.
void TakeTerminal(const std::string& name) {
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("COLUMNS");
  ::setsid();
  const int end = ::open(name.c_str(), O_RDWR);
  ::ioctl(end, TIOCSCTTY, 0);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(end, standard);
}

}  // namespace

Terminal::Terminal(const std::function<void()>& act)
    : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  ::grantpt(master_);
  ::unlockpt(master_);
  const std::string name = ::ptsname(master_);
  Resize(30, 120);
  held_ = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ::tcgetattr(held_, &before_);
  pid_ = ::fork();
  if (pid_ != 0) return;
  Close();
  TakeTerminal(name);
  act();
  ::_exit(0);
}

Terminal::Terminal(const std::filesystem::path& directory, const char* program,
                   const std::vector<std::string>& words)
    : Terminal([&] { RunProgram(directory, program, words); }) {}

void Terminal::Close() {
  for (int* end : {&held_, &master_})
    if (*end >= 0) ::close(std::exchange(*end, -1));
}

void Terminal::Resize(unsigned short rows, unsigned short columns) const {
  const winsize size{rows, columns, 0, 0};
  ::ioctl(master_, TIOCSWINSZ, &size);
}

void Terminal::Type(const std::string& keys) const {
  [[maybe_unused]] const ssize_t written = ::write(master_, keys.data(), keys.size());
}

bool Terminal::Await(const std::string& words) {
  for (;;) {
    const auto at = seen_.find(words, from_);
    if (at != std::string::npos) {
      from_ = at + words.size();
      return true;
    }
    if (!ReadMore()) return false;
  }
}

bool Terminal::ReadMore() {
  constexpr int kPatienceMilliseconds = 60'000;
  pollfd readable{master_, POLLIN, 0};
  if (::poll(&readable, 1, kPatienceMilliseconds) <= 0) return false;
  char buffer[4096];
  const ssize_t size = ::read(master_, buffer, sizeof buffer);
  if (size <= 0) return false;
  seen_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

bool Terminal::HasModeOfBefore() const {
  termios now{};
  ::tcgetattr(held_, &now);
  return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
         now.c_oflag == before_.c_oflag && now.c_cc[VSUSP] == before_.c_cc[VSUSP];
}

}  // namespace ebb
