#include "platform/detached_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "platform/descriptor.h"
#include "platform/process_table.h"

extern char** environ;

namespace ebb::platform {
namespace {

constexpr int kKeptDescriptor = 3;

// Runs between fork and exec, like its caller. Linux before 5.11 does not have the call, and glibc
// before 2.34 has no name for it.
void CloseAtExec(int first) {
  constexpr unsigned int kCloseAtExec = 4;  // CLOSE_RANGE_CLOEXEC
  if (::syscall(SYS_close_range, first, ~0U, kCloseAtExec) == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kMost = 1 << 20;  // the kernel's own default if there is no limit
  const int end = static_cast<int>(std::min(limit.rlim_cur, kMost));
  for (int descriptor = first; descriptor < end; ++descriptor)
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// Runs between fork and exec: async-signal-safe calls only.
[[noreturn]] void ExecDetached(const char* program, char* const* argv, int kept, int input,
                               int error_pipe) {
  ::setsid();
  // The error pipe moves out of the way, because the kept descriptor takes this number.
  const int report = ::fcntl(error_pipe, F_DUPFD_CLOEXEC, kKeptDescriptor + 1);
  if (kept == kKeptDescriptor)
    ::fcntl(kept, F_SETFD, 0);
  else if (kept >= 0)
    ::dup2(kept, kKeptDescriptor);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::dup2(standard == STDIN_FILENO && input >= 0 ? input : null, standard);
  // A process that outlives this one must not keep the files that this process inherited.
  CloseAtExec(kept < 0 ? kKeptDescriptor : kKeptDescriptor + 1);
  ::execve(program, argv, environ);
  const int code = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &code, sizeof code);
  ::_exit(127);
}

// The children that this process has started itself. The mutex is held while a child is started, so
// that no other thread sees a child that is not in the set yet.
class OwnChildren {
 public:
  std::mutex mutex;
  std::set<pid_t> pids;

  static OwnChildren& Get() {
    static OwnChildren own;
    return own;
  }

 private:
  OwnChildren() {
    for (const pid_t pid : ChildrenInOtherSessions()) pids.insert(pid);
  }
};

// The read end of a pipe that contains `text`; -1 if no pipe is needed.
Result<int> PipeWith(const std::string& text) {
  if (text.empty()) return -1;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Fail({ExitCode::kUnavailable, std::strerror(errno), "", ""});
  const Descriptor writer(ends[1]);
  ::fcntl(ends[0], F_SETFL, 0);  // a blocking reader waits for the text
  if (::write(writer.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
    return ends[0];
  ::close(ends[0]);
  return Fail({ExitCode::kUnavailable, "a pipe does not take what it should be told", "", ""});
}

}  // namespace

std::vector<pid_t> LeftByDetached() {
  OwnChildren& own = OwnChildren::Get();
  const std::lock_guard guard(own.mutex);
  std::vector<pid_t> left = ChildrenInOtherSessions();
  std::erase_if(left, [&](pid_t pid) {
    return own.pids.contains(pid) || ::waitpid(pid, nullptr, WNOHANG) != 0;
  });
  return left;
}

void HideFromOthers() { ::prctl(PR_SET_DUMPABLE, 0); }

Result<pid_t> StartDetached(const DetachedOptions& options) {
  std::vector<std::string> arguments = options.argv;
  std::vector<char*> argv;
  for (std::string& text : arguments) argv.push_back(text.data());
  argv.push_back(nullptr);
  const auto error = [&](int code) {
    return Fail({ExitCode::kUnavailable, std::string("cannot be started: ") + std::strerror(code),
                 options.program, "is there enough memory, and room for processes?"});
  };
  EBB_ASSIGN_OR_RETURN(const int input_end, PipeWith(options.input));
  const Descriptor input(input_end);
  int error_pipe[2];
  if (::pipe2(error_pipe, O_CLOEXEC) != 0) return error(errno);
  // Orphans of the detached process become children of this process, so that LeftByDetached finds
  // them.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  OwnChildren& own = OwnChildren::Get();
  const std::lock_guard guard(own.mutex);
  const pid_t pid = ::fork();
  if (pid == 0)
    ExecDetached(options.program.c_str(), argv.data(), options.kept_descriptor, input.get(),
                 error_pipe[1]);
  if (pid > 0) own.pids.insert(pid);
  int code = pid < 0 ? errno : 0;
  ::close(error_pipe[1]);
  if (pid > 0) {
    while (::read(error_pipe[0], &code, sizeof code) < 0 && errno == EINTR) {
    }
  }
  ::close(error_pipe[0]);
  if (code == 0) return pid;
  if (pid > 0) {
    ::waitpid(pid, nullptr, 0);
    own.pids.erase(pid);
  }
  return error(code);
}

std::optional<ProcessWatch> ProcessWatch::Open(pid_t pid) {
  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0) return std::nullopt;
  return ProcessWatch(pid, descriptor);
}

ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ProcessWatch::SendSignal(int signal_number) const {
  ::syscall(SYS_pidfd_send_signal, descriptor_, signal_number, nullptr, 0);
}

bool ProcessWatch::HasEnded() const {
  pollfd look{descriptor_, POLLIN, 0};
  if (::poll(&look, 1, 0) != 1) return false;
  OwnChildren& own = OwnChildren::Get();
  const std::lock_guard guard(own.mutex);
  if (::waitpid(pid_, nullptr, WNOHANG) == pid_) own.pids.erase(pid_);
  return true;
}

}  // namespace ebb::platform
