#include "platform/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>

#include "platform/descriptor.h"
#include "platform/process_signals.h"
#include "platform/system_clock.h"

namespace ebb::platform {
namespace {

// The argument vectors of execvpe. They are made before the fork, because other threads may hold
// locks that the child would wait for.
class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

// The environment of this process with these variables added or replaced.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> lines;
  for (char** line = environ; *line; ++line) {
    const std::string_view name = std::string_view(*line).substr(0, std::strcspn(*line, "="));
    if (std::ranges::none_of(added, [&](const auto& other) { return other.first == name; }))
      lines.emplace_back(*line);
  }
  for (const auto& [name, value] : added) lines.push_back(name + "=" + value);
  return lines;
}

// `errors`: -1 to keep the standard error of this process.
[[noreturn]] void Become(const Words& command, const Words& environment, int output, int errors) {
  RestoreDefaultSignals();
  ::dup2(output, STDOUT_FILENO);
  if (errors >= 0) ::dup2(errors, STDERR_FILENO);
  ::execvpe(command.data()[0], command.data(), environment.data());
  ::_exit(127);
}

// Reads to the end of the pipe. Returns false if there is too much text or the time is over.
bool ReadAll(int descriptor, Duration until, std::size_t limit_bytes, std::string& text) {
  char buffer[4096];
  for (;;) {
    const Duration left = until - SinceBoot();
    pollfd waits{descriptor, POLLIN, 0};
    if (left <= Duration::zero()) return false;
    const int ready = ::poll(&waits, 1, static_cast<int>(left.count()));
    if (ready == 0) return false;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t size = ::read(descriptor, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    text.append(buffer, static_cast<std::size_t>(size));
    if (text.size() > limit_bytes) return false;
  }
}

// The status of the child at its end; nullopt if it has not ended by `until`, because a program may
// close its output and go on.
std::optional<int> EndOf(pid_t child, Duration until) {
  constexpr std::chrono::milliseconds kLookAgain{2};
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    // Another thread has reaped the child (child_process.h), so its status is unknown.
    if (ended < 0 && errno == ECHILD) return 0;
    if (SinceBoot() >= until) return std::nullopt;
    std::this_thread::sleep_for(kLookAgain);
  }
}

int ExitCodeOf(int status) {
  constexpr int kSignalBase = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

// Runs the program; `errors` as for Become.
Result<ProgramEnd> Run(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& environment,
                       Duration patience, std::size_t limit_bytes, int errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Fail({ExitCode::kUnavailable, std::strerror(errno), command.front(), ""});
  const Descriptor read_end(ends[0]);
  const Words words(command), variables(EnvironmentWith(environment));
  pid_t child = 0;
  {
    const Descriptor write_end(ends[1]);
    child = ::fork();
    if (child == 0) Become(words, variables, write_end.get(), errors);
  }
  if (child < 0) return Fail({ExitCode::kUnavailable, std::strerror(errno), command.front(), ""});
  ProgramEnd end;
  const Duration until = SinceBoot() + patience;
  const bool complete = ReadAll(read_end.get(), until, limit_bytes, end.output);
  const std::optional<int> status = complete ? EndOf(child, until) : std::nullopt;
  if (!status) {
    ::kill(child, SIGKILL);
    // A child that survives SIGKILL (it hangs in the kernel) is not waited for any longer.
    constexpr Duration kDiesWithin{1'000};
    std::ignore = EndOf(child, SinceBoot() + kDiesWithin);
    return Fail(
        {ExitCode::kUnavailable, "prints too much, or takes too long", command.front(), ""});
  }
  end.exit_code = ExitCodeOf(*status);
  constexpr int kNotFound = 127;
  if (end.exit_code == kNotFound)
    return Fail({ExitCode::kConfiguration, "command not found", command.front(), ""});
  return end;
}

}  // namespace

Result<ProgramEnd> RunToEnd(const std::vector<std::string>& command,
                            const std::vector<std::pair<std::string, std::string>>& environment,
                            Duration patience, std::size_t limit_bytes) {
  constexpr std::size_t kMostErrors = 64 << 10;
  const Descriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  if (errors.get() < 0)
    return Fail({ExitCode::kUnavailable, std::strerror(errno), command.front(), ""});
  auto end = Run(command, environment, patience, limit_bytes, errors.get());
  if (!end) return end;
  end->errors.resize(kMostErrors);
  const ssize_t size = ::pread(errors.get(), end->errors.data(), end->errors.size(), 0);
  end->errors.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  return end;
}

Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             Duration patience, std::size_t limit_bytes) {
  EBB_ASSIGN_OR_RETURN(ProgramEnd end, Run(command, environment, patience, limit_bytes, -1));
  if (end.exit_code == 0) return std::move(end.output);
  return Fail({ExitCode::kUnavailable, "failed", command.front(), "run it by hand"});
}

}  // namespace ebb::platform
