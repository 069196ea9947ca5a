#include "platform/locked_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace ebb::platform {
namespace {

constexpr Duration kBetweenTries{20};

Error CannotOpen(const Path& path, int code) {
  return {
      ExitCode::kUnavailable, std::string("cannot be written: ") + std::strerror(code),
      path.string(),
      code == ENOENT ? "make its directory first" : "check the permissions, or name another file"};
}

enum class Locked { kYes, kBusy, kUnsupported };

Locked TryLock(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return Locked::kYes;
  return errno == EWOULDBLOCK || errno == EINTR ? Locked::kBusy : Locked::kUnsupported;
}

// True if the path still names the file that was opened: another process may have replaced it
// during the wait for the lock.
bool StillNames(const Path& path, int descriptor) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool IsRegular(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

Path FollowLinks(const Path& path) {
  std::error_code code;
  const Path target = std::filesystem::canonical(path, code);
  return code ? path : target;
}

}  // namespace

LockedFile::LockedFile(int descriptor, Path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

LockedFile::LockedFile(LockedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<LockedFile> LockedFile::Open(const Path& path, Duration patience) {
  for (Duration waited{0};; waited += kBetweenTries) {
    const int descriptor =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0) return Fail(CannotOpen(path, errno));
    LockedFile file(descriptor, FollowLinks(path));
    if (!IsRegular(descriptor))
      return Fail({ExitCode::kConfiguration, "is not a regular file", path.string(), ""});
    const Locked locked = TryLock(descriptor);
    if (locked == Locked::kUnsupported) return file;
    if (locked == Locked::kYes && StillNames(file.path_, descriptor)) return file;
    if (waited >= patience)
      return Fail({ExitCode::kUnavailable, "is held by another process that writes it",
                   path.string(), "see who has it open (fuser), or name another file"});
    std::this_thread::sleep_for(kBetweenTries);
  }
}

Status LockedFile::Append(std::string_view text) {
  const off_t size = ::lseek(descriptor_, 0, SEEK_END);
  const ssize_t written = ::write(descriptor_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return {};
  const int code = written < 0 ? errno : ENOSPC;
  // A part of a line would damage the next line, so it is removed.
  if (written > 0 && size >= 0) std::ignore = ::ftruncate(descriptor_, size);
  return Fail({ExitCode::kUnavailable, std::string("cannot be written: ") + std::strerror(code),
               path_.string(), code == ENOSPC ? "free some disk space" : ""});
}

Status LockedFile::Replace(std::string_view content) { return WriteFileAtomically(path_, content); }

}  // namespace ebb::platform
