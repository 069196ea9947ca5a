#include "platform/sparse_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ebb::platform {
namespace {

constexpr std::uint64_t kBlock = 4096;

}  // namespace

Status DropBeginning(const Path& path, std::uint64_t offset) {
  const std::uint64_t length = offset / kBlock * kBlock;
  if (length == 0) return {};
  const auto fail = [&](int code) {
    return Fail({ExitCode::kUnavailable,
                 std::string("its beginning cannot be dropped: ") + std::strerror(code),
                 path.string(), "keep it on ext4, XFS, btrfs or tmpfs"});
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return fail(errno);
  const bool dropped = ::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                                   static_cast<off_t>(length)) == 0;
  const int code = errno;
  ::close(file);
  if (!dropped) return fail(code);
  return {};
}

}  // namespace ebb::platform
