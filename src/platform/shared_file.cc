#include "platform/shared_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/descriptor.h"

namespace ebb::platform {
namespace {

Error NotRegular(const Path& path, const char* what) {
  return {ExitCode::kUnavailable, std::string("is ") + what + ", so it is not read", path.string(),
          "a program that ran in this folder put it there; remove it"};
}

}  // namespace

Result<SharedFile> SharedFile::Open(const Path& path, HardLinks hard_links) {
  // With O_NONBLOCK, a pipe without a writer opens at once and can be refused.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ELOOP) return Fail(NotRegular(path, "a link"));
    return Fail({ExitCode::kUnavailable, std::string("cannot open: ") + std::strerror(errno),
                 path.string(), ""});
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0)
    return Fail({ExitCode::kUnavailable, std::string("cannot stat: ") + std::strerror(errno),
                 path.string(), ""});
  if (!S_ISREG(info.st_mode)) return Fail(NotRegular(path, "not a regular file"));
  if (hard_links == HardLinks::kRefused && info.st_nlink > 1)
    return Fail(NotRegular(path, "another name of a file elsewhere (a hard link)"));
  return SharedFile(file.Release(), static_cast<std::uint64_t>(info.st_size));
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t SharedFile::Beginning() const {
  const off_t begin = ::lseek(descriptor_, 0, SEEK_DATA);
  return begin > 0 ? static_cast<std::uint64_t>(begin) : 0;
}

std::string SharedFile::Read(std::uint64_t offset, std::uint64_t most_bytes) const {
  constexpr std::size_t kPiece = 1 << 16;
  std::string text;
  while (text.size() < most_bytes) {
    const std::size_t before = text.size();
    text.resize(before + std::min<std::uint64_t>(kPiece, most_bytes - before));
    const ssize_t count = ::pread(descriptor_, text.data() + before, text.size() - before,
                                  static_cast<off_t>(offset + before));
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  return text;
}

Result<std::string> ReadSharedFile(const Path& path, std::uint64_t limit_bytes) {
  EBB_ASSIGN_OR_RETURN(const SharedFile file, SharedFile::Open(path));
  std::string text = file.Read(0, limit_bytes + 1);
  if (text.size() <= limit_bytes) return text;
  return Fail({ExitCode::kConfiguration,
               "is larger than " + std::to_string(limit_bytes >> 20) + " MiB", path.string(),
               "is it the right file?"});
}

}  // namespace ebb::platform
