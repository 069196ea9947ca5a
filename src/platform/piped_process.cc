#include "platform/piped_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/text.h"
#include "platform/process_signals.h"

namespace ebb::platform {
namespace {

// Runs between fork and exec: async-signal-safe calls only. The program ends with its parent.
[[noreturn]] void Become(char* const* argv, int channel, int errors, pid_t parent) {
  RestoreDefaultSignals();
  ::signal(SIGPIPE, SIG_DFL);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::dup2(channel, STDIN_FILENO);
  ::dup2(channel, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execvp(argv[0], argv);
  constexpr int kNotFound = 127;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, "command not found\n", 18);
  ::_exit(kNotFound);
}

}  // namespace

Result<PipedProcess> PipedProcess::Start(const std::vector<std::string>& command) {
  const auto failed = [&] {
    return Fail({ExitCode::kUnavailable, std::strerror(errno), command.front(), ""});
  };
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed();
  auto channel = std::make_unique<ByteChannel>(ends[0], ::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
  const Descriptor other(ends[1]);
  Descriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  if (!errors.valid()) return failed();
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid == 0) Become(argv.data(), other.get(), errors.get(), parent);
  if (pid < 0) return failed();
  return PipedProcess(pid, std::move(channel), errors.Release());
}

PipedProcess::PipedProcess(PipedProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      errors_(std::exchange(other.errors_, -1)) {}

PipedProcess& PipedProcess::operator=(PipedProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  std::swap(errors_, other.errors_);
  return *this;
}

PipedProcess::~PipedProcess() {
  Kill();
  if (errors_ >= 0) ::close(errors_);
}

void PipedProcess::Kill() {
  if (pid_ <= 0) return;
  const pid_t pid = std::exchange(pid_, -1);
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string PipedProcess::EndAndExplain() {
  // A program that has just lost its connection is about to say why.
  constexpr int kLooks = 50;
  constexpr std::chrono::milliseconds kLookAgain{10};
  channel_.reset();
  for (int i = 0; i < kLooks && pid_ > 0; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(kLookAgain);
    else
      pid_ = -1;
  }
  Kill();
  std::string text(64 << 10, '\0');
  const ssize_t size = ::pread(errors_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  std::string last;
  for (const std::string_view line : Split(text, '\n'))
    if (!Trim(line).empty()) last = std::string(Trim(line));
  // The warning of ssh about a changed key stands before its last line.
  if (text.find("IDENTIFICATION HAS CHANGED") != std::string::npos)
    return "its host key has changed: somebody may pretend to be it, or it was installed anew (" +
           last + ")";
  return last;
}

}  // namespace ebb::platform
