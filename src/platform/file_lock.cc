#include "platform/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/text.h"

namespace ebb::platform {
namespace {

Error LockError(const Path& path, const std::string& doing, int code) {
  return {ExitCode::kUnavailable, doing + ": " + std::strerror(code), path.string(),
          "check the permissions and the free space"};
}

std::string HolderOf(const Path& path) {
  return std::string(Trim(ReadFile(path, 64).value_or("")));
}

bool HasEnded(const std::string& holder) {
  const auto pid = ParseInteger(holder);
  return pid && *pid > 0 && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
}

// A process that is killed while it starts a child leaves the lock to the child until the child
// executes its program. On a busy machine this can take a while.
bool LockAtLast(int descriptor, const Path& path) {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::milliseconds kAgain{5};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    const bool patient = code == EWOULDBLOCK && std::chrono::steady_clock::now() < deadline &&
                         HasEnded(HolderOf(path));
    errno = code;
    if (!patient) return false;
    std::this_thread::sleep_for(kAgain);
  }
  return true;
}

}  // namespace

Result<FileLock> FileLock::Take(const Path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(LockError(path, "cannot open the lock", errno));
  FileLock lock(descriptor);
  if (!LockAtLast(descriptor, path)) {
    const int code = errno;
    if (code != EWOULDBLOCK) return Fail(LockError(path, "cannot lock", code));
    std::string holder = HolderOf(path);
    if (holder.empty()) holder = "unknown";
    return Fail({ExitCode::kTryLater, "is in use by process " + holder, path.string(),
                 "one process at a time may write"});
  }
  // The pid is only for the message above, so a full disk does not prevent the lock.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor, 0) == 0)
    std::ignore = ::pwrite(descriptor, pid.data(), pid.size(), 0);
  return lock;
}

bool FileLock::IsHeld(const Path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0;
  ::close(descriptor);
  return held;
}

FileLock FileLock::Inherited(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return FileLock(descriptor);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

// The file is not removed, because then two processes could lock two files of the same name.
FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace ebb::platform
