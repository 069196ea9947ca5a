#include "platform/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace ebb::platform {
namespace {

Error LockError(const Path& path, const std::string& doing, int code) {
  return {ExitCode::kUnavailable, doing + ": " + std::strerror(code), path.string(),
          "check the permissions and the free space"};
}

}  // namespace

Result<FileLock> FileLock::Take(const Path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(LockError(path, "cannot open the lock", errno));
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    if (code != EWOULDBLOCK) return Fail(LockError(path, "cannot lock", code));
    std::string holder(Trim(ReadFile(path, 64).value_or("")));
    if (holder.empty()) holder = "unknown";
    return Fail({ExitCode::kTryLater, "is in use by process " + holder, path.string(),
                 "one process at a time may write"});
  }
  // Only for the message above: a full disk does not stop the lock.
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

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

// The file stays: removing it would let two processes lock two files of one name.
FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace ebb::platform
