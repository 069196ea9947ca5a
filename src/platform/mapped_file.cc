#include "platform/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "platform/descriptor.h"

namespace ebb::platform {
namespace {

tl::unexpected<Error> CannotMap(const Path& path, std::string why) {
  return Fail({ExitCode::kConfiguration, "cannot be read: " + std::move(why), path.string(), ""});
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const Path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return CannotMap(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return CannotMap(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return CannotMap(path, "it is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  // The mapping is writable, so that a library which writes into borrowed bytes gets its own copy
  // of the page instead of ending the process. The mapping is private, so that the file does not
  // change.
  void* begin =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (begin == MAP_FAILED) return CannotMap(path, std::strerror(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const char*>(begin), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace ebb::platform
