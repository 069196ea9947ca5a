#include "platform/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "platform/program_lookup.h"

extern char** environ;

namespace ebb::platform {
namespace {

bool HoldsTerminal() { return ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

// If a name occurs twice, the last value counts, because most programs use the first one that they
// find.
std::vector<std::string> MergedEnvironment(const ChildOptions& options) {
  std::map<std::string, std::string> ours;
  for (const auto& [name, value] : options.environment) ours[name] = value;
  std::vector<std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (!ours.contains(std::string(text.substr(0, text.find('='))))) merged.emplace_back(text);
  }
  for (const auto& [name, value] : ours) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The step of the child's start that failed, and its errno.
struct StartFailure {
  int code = 0;  // errno; 0: no failure
  bool in_directory = false;
};

// The terminal, descriptors and directory of the child.
struct ChildSetup {
  bool take_terminal = false;
  int input = -1;   ///< standard input of a child in the background; -1: none
  int output = -1;  ///< standard output of a child in the background; -1: none
  pid_t parent = 0;
  const char* working_directory = nullptr;
  int cgroup_procs = -1;
  int ignored_signal = 0;  ///< 0: none
};

// Runs between fork and exec: async-signal-safe calls only.
[[noreturn]] void ExecChild(char* const* argv, char** environment, const ChildSetup& setup,
                            int error_pipe) {
  ::setpgid(0, 0);
  if (setup.cgroup_procs >= 0) {
    [[maybe_unused]] const ssize_t entered = ::write(setup.cgroup_procs, "0", 1);
  }
  if (setup.take_terminal) ::tcsetpgrp(STDIN_FILENO, ::getpid());
  if (setup.output >= 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // This process may have died before the child asked to be told of it.
    if (::getppid() != setup.parent) ::_exit(127);
    ::dup2(setup.input, STDIN_FILENO);
    ::dup2(setup.output, STDOUT_FILENO);
    ::dup2(setup.output, STDERR_FILENO);
  }
  const auto give_up = [&](bool in_directory) {
    const StartFailure failure{errno, in_directory};
    [[maybe_unused]] const ssize_t written = ::write(error_pipe, &failure, sizeof failure);
    ::_exit(127);
  };
  if (setup.working_directory && ::chdir(setup.working_directory) != 0) give_up(true);
  RestoreDefaultSignals();
  if (setup.ignored_signal != 0) ::signal(setup.ignored_signal, SIG_IGN);
  environ = environment;  // exec searches the PATH of the child's own environment
  ::execvp(argv[0], argv);
  give_up(false);
  ::_exit(127);
}

// Descriptors for a child. They are closed here once the child has its copies.
class ChildFiles {
 public:
  ~ChildFiles() {
    for (const int descriptor : {input_, output_, cgroup_procs_}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  void OpenCgroup(const std::string& procs_file) {
    cgroup_procs_ = ::open(procs_file.c_str(), O_WRONLY | O_CLOEXEC);
  }
  Status OpenBackground(const std::string& output_file) {
    input_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    output_ = ::open(output_file.c_str(),
                     O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (input_ >= 0 && output_ >= 0) return {};
    return Fail({ExitCode::kUnavailable, std::string("cannot be written: ") + std::strerror(errno),
                 output_file, ""});
  }
  int input() const { return input_; }
  int output() const { return output_; }
  int cgroup_procs() const { return cgroup_procs_; }

 private:
  int input_ = -1;
  int output_ = -1;
  int cgroup_procs_ = -1;
};

ExitStatus StatusFrom(int status) {
  if (WIFEXITED(status)) return {WEXITSTATUS(status), false};
  return {128 + WTERMSIG(status), true};
}

}  // namespace

Result<ChildProcess> ChildProcess::Start(const ChildOptions& options) {
  EBB_RETURN_IF_ERROR(CheckNamed(options));
  // Descendants that lose their parent become children of this process, so that their energy still
  // counts.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<std::string> arguments = options.argv;
  std::vector<std::string> environment = MergedEnvironment(options);
  const std::vector<char*> argv = Pointers(arguments);
  std::vector<char*> envp = Pointers(environment);
  ChildFiles files;
  if (options.background)
    EBB_RETURN_IF_ERROR(files.OpenBackground(options.background->output_file));
  if (!options.cgroup_procs.empty()) files.OpenCgroup(options.cgroup_procs);
  const bool holds_terminal = !options.background && HoldsTerminal();
  const ChildSetup setup{
      holds_terminal,
      files.input(),
      files.output(),
      ::getpid(),
      options.working_directory.empty() ? nullptr : options.working_directory.c_str(),
      files.cgroup_procs(),
      options.pause_signal.value_or(0)};
  int error_pipe[2];
  if (::pipe2(error_pipe, O_CLOEXEC) != 0) return Fail(StartError(errno, options));
  const pid_t pid = ::fork();
  if (pid == 0) ExecChild(argv.data(), envp.data(), setup, error_pipe[1]);
  const int fork_error = errno;
  ::close(error_pipe[1]);
  StartFailure failure{pid < 0 ? fork_error : 0};
  if (pid > 0) {
    // Both processes set the group, because either may run first.
    ::setpgid(pid, pid);
    if (holds_terminal) ::tcsetpgrp(STDIN_FILENO, pid);
    while (::read(error_pipe[0], &failure, sizeof failure) < 0 && errno == EINTR) {
    }
  }
  ::close(error_pipe[0]);
  if (failure.code == 0) return ChildProcess(pid, holds_terminal, options.pause_signal);
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  if (holds_terminal) ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  return Fail(failure.in_directory ? DirectoryError(failure.code, options.working_directory)
                                   : StartError(failure.code, options));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      holds_terminal_(std::exchange(other.holds_terminal_, false)),
      pause_signal_(other.pause_signal_),
      asked_to_pause_(other.asked_to_pause_),
      forwarded_stop_(other.forwarded_stop_) {}

ChildProcess::~ChildProcess() {
  if (holds_terminal_) ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

void ChildProcess::SendSignal(int signal_number) const { ::kill(-pid_, signal_number); }

std::optional<ExitStatus> ChildProcess::Wait(ProcessSignals& signals, Duration timeout) {
  if (auto status = Reap()) return status;
  const auto received = signals.Wait(timeout);
  if (!received) return std::nullopt;
  if (received->number == SIGCHLD) return Reap();
  Forward(received->number);
  return std::nullopt;
}

// A signal that was typed on the terminal reaches only the group of this process, because the child
// has a group of its own.
void ChildProcess::Forward(int signal_number) {
  if (pause_signal_ == signal_number) {
    // Programs that get a second SIGTERM may end without their checkpoint.
    if (!std::exchange(asked_to_pause_, true)) SendSignal(SIGTERM);
    forwarded_stop_ = SIGTERM;
    return;
  }
  if (signal_number != SIGCONT) SendSignal(signal_number);
  if (IsStopRequest(signal_number)) forwarded_stop_ = signal_number;
}

std::optional<ExitStatus> ChildProcess::Reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (pid <= 0) return std::nullopt;
    if (pid != pid_) continue;  // an adopted descendant
    if (WIFEXITED(status) || WIFSIGNALED(status)) return StatusFrom(status);
    if (WIFSTOPPED(status) && holds_terminal_) FollowJobControlStop();
  }
}

bool ChildProcess::HasEnded() const {
  siginfo_t info{};
  const int found = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return found != 0 || info.si_pid == pid_;
}

std::optional<ExitStatus> ChildProcess::SeenEnd() const {
  siginfo_t info{};
  const int found = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (found != 0 || info.si_pid != pid_) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ExitStatus{info.si_status, false};
  return ExitStatus{128 + info.si_status, true};
}

std::optional<ExitStatus> ChildProcess::TakeEnd() {
  int status = 0;
  const pid_t pid = ::waitpid(pid_, &status, WNOHANG);
  if (pid != pid_) return std::nullopt;
  return StatusFrom(status);
}

void ReapAdopted(std::span<const pid_t> ours) {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    // If several children have ended, waitid shows the same one until it is reaped. A child in
    // `ours` therefore ends the loop.
    if (std::find(ours.begin(), ours.end(), info.si_pid) != ours.end()) return;
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

// The user typed Ctrl-Z. This process stops as well, so that the shell shows its prompt. On `fg` it
// wakes the child.
void ChildProcess::FollowJobControlStop() {
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  ::raise(SIGSTOP);
  ::tcsetpgrp(STDIN_FILENO, pid_);
  SendSignal(SIGCONT);
}

}  // namespace ebb::platform
