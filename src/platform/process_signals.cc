#include "platform/process_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace ebb::platform {
namespace {

// A blocked signal stays pending even if it is ignored. nohup ignores the hang-up, so it is not
// blocked then, and the started program ignores it too.
bool hang_up_is_ignored = false;

sigset_t StopSet() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&set, number);
  if (!hang_up_is_ignored) sigaddset(&set, SIGHUP);
  return set;
}

sigset_t FullSet() {
  sigset_t set = StopSet();
  for (const int number : {SIGCHLD, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT}) sigaddset(&set, number);
  return set;
}

// SIGTTOU is blocked too, so that taking the terminal back from a child group does not stop this
// process.
sigset_t BlockedSet() {
  sigset_t set = FullSet();
  sigaddset(&set, SIGTTOU);
  return set;
}

std::optional<SignalReceived> WaitFor(const sigset_t& set, Duration timeout) {
  const auto millis = timeout.count() < 0 ? 0 : timeout.count();
  const timespec limit{static_cast<time_t>(millis / 1000),
                       static_cast<long>(millis % 1000) * 1'000'000};
  const int number = sigtimedwait(&set, nullptr, &limit);
  if (number < 0) return std::nullopt;
  return SignalReceived{number};
}

}  // namespace

ProcessSignals::ProcessSignals() {
  struct sigaction of_hang_up {};
  hang_up_is_ignored =
      ::sigaction(SIGHUP, nullptr, &of_hang_up) == 0 && of_hang_up.sa_handler == SIG_IGN;
  const sigset_t set = BlockedSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // Writing to a closed pipe, or beyond a limit of file size, must be an error value instead of
  // ending a measurement.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

ProcessSignals::~ProcessSignals() {
  if (descriptor_ >= 0) ::close(descriptor_);
  const sigset_t set = BlockedSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
}

int ProcessSignals::descriptor() {
  if (descriptor_ < 0) {
    const sigset_t set = FullSet();
    descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  return descriptor_;
}

std::optional<int> ProcessSignals::TakeAll() {
  std::optional<int> stop;
  while (const auto heard = Wait(Duration::zero()))
    if (IsStopRequest(heard->number)) stop = heard->number;
  return stop;
}

std::optional<SignalReceived> ProcessSignals::Wait(Duration timeout) {
  return WaitFor(FullSet(), timeout);
}

std::optional<SignalReceived> ProcessSignals::WaitForStop(Duration timeout) {
  return WaitFor(StopSet(), timeout);
}

bool IsStopRequest(int signal_number) {
  return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP;
}

// glibc has had such a table only since 2.32.
const char* SignalName(int signal_number) {
  switch (signal_number) {
#define EBB_SIGNAL(name) \
  case name:             \
    return #name;
    EBB_SIGNAL(SIGHUP)
    EBB_SIGNAL(SIGINT)
    EBB_SIGNAL(SIGQUIT)
    EBB_SIGNAL(SIGILL)
    EBB_SIGNAL(SIGTRAP)
    EBB_SIGNAL(SIGABRT)
    EBB_SIGNAL(SIGBUS)
    EBB_SIGNAL(SIGFPE)
    EBB_SIGNAL(SIGKILL)
    EBB_SIGNAL(SIGUSR1)
    EBB_SIGNAL(SIGSEGV)
    EBB_SIGNAL(SIGUSR2)
    EBB_SIGNAL(SIGPIPE)
    EBB_SIGNAL(SIGALRM)
    EBB_SIGNAL(SIGTERM)
    EBB_SIGNAL(SIGSTKFLT)
    EBB_SIGNAL(SIGCHLD)
    EBB_SIGNAL(SIGCONT)
    EBB_SIGNAL(SIGSTOP)
    EBB_SIGNAL(SIGTSTP)
    EBB_SIGNAL(SIGTTIN)
    EBB_SIGNAL(SIGTTOU)
    EBB_SIGNAL(SIGURG)
    EBB_SIGNAL(SIGXCPU)
    EBB_SIGNAL(SIGXFSZ)
    EBB_SIGNAL(SIGVTALRM)
    EBB_SIGNAL(SIGPROF)
    EBB_SIGNAL(SIGWINCH)
    EBB_SIGNAL(SIGPOLL)
    EBB_SIGNAL(SIGPWR)
    EBB_SIGNAL(SIGSYS)
#undef EBB_SIGNAL
    default:
      return "unknown signal";
  }
}

void RestoreDefaultSignals() {
  const sigset_t set = BlockedSet();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
}

}  // namespace ebb::platform
