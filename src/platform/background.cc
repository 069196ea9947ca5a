#include "platform/background.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace ebb::platform {
namespace {

// The last byte from the second process when it releases the first one.
constexpr char kLetGo = '\0';

Error ErrorOf(const char* what, const std::string& where) {
  return {ExitCode::kUnavailable, std::string(what) + std::strerror(errno), where, ""};
}

// Shows the output of the second process. Returns 0 once the second process releases the first,
// otherwise the exit code of the second process.
int ShowUntilLetGo(int pipe, pid_t second) {
  char buffer[4096], last = '\n';
  for (;;) {
    const ssize_t size = ::read(pipe, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    last = buffer[size - 1];
    const auto shown = static_cast<std::size_t>(last == kLetGo ? size - 1 : size);
    std::fwrite(buffer, 1, shown, stderr);
  }
  if (last == kLetGo) return 0;
  int status = 0;
  while (::waitpid(second, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void BecomeSecond(int pipe, pid_t first) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != first) ::raise(SIGTERM);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(pipe, STDOUT_FILENO);
  ::dup2(pipe, STDERR_FILENO);
  ::close(null);
  ::close(pipe);
}

}  // namespace

StandardFiles::StandardFiles()
    : input_(::isatty(STDIN_FILENO) == 1),
      output_(::isatty(STDOUT_FILENO) == 1),
      errors_(::isatty(STDERR_FILENO) == 1) {}

Status StandardFiles::MoveTo(const std::filesystem::path& log) const {
  std::fflush(stdout);
  std::fflush(stderr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (input_ && null >= 0) ::dup2(null, STDIN_FILENO);
  int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const Status opened = file >= 0 ? Status() : Fail(ErrorOf("cannot be opened: ", log.string()));
  if (file < 0) file = null;  // a failure to print must not end the run
  if (output_) ::dup2(file, STDOUT_FILENO);
  if (errors_) ::dup2(file, STDERR_FILENO);
  if (null >= 0) ::close(null);
  if (file >= 0 && file != null) ::close(file);
  return opened;
}

Result<std::optional<int>> Background::Split() {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return Fail(ErrorOf("cannot be detached: ", ""));
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t first = ::getpid(), second = ::fork();
  if (second < 0) {
    const Error error = ErrorOf("cannot be detached: ", "");
    ::close(pipe[0]);
    ::close(pipe[1]);
    return Fail(error);
  }
  if (second == 0) {
    ::close(pipe[0]);
    BecomeSecond(pipe[1], first);
    return std::optional<int>();
  }
  ::close(pipe[1]);
  const int code = ShowUntilLetGo(pipe[0], second);
  ::close(pipe[0]);
  return std::optional(code);
}

std::int64_t Background::ProcessId() { return ::getpid(); }

Status Background::LetGo(const std::filesystem::path& log) {
  ::prctl(PR_SET_PDEATHSIG, 0);
  std::fflush(stdout);
  std::fflush(stderr);
  const ssize_t written = ::write(STDERR_FILENO, &kLetGo, 1);
  if (written != 1 && errno != EPIPE) return Fail(ErrorOf("cannot be detached: ", ""));
  return StandardFiles::All().MoveTo(log);
}

}  // namespace ebb::platform
