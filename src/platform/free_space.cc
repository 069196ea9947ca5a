#include "platform/free_space.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace ebb::platform {
namespace {

bool MeansFull(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }

}  // namespace

bool HasRoomFor(const Path& directory, std::uint64_t bytes) {
  std::string name = (directory / ".ebb-room-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return !MeansFull(errno);
  ::unlink(name.c_str());
  const int code = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  ::close(file);
  return !MeansFull(code);
}

}  // namespace ebb::platform
