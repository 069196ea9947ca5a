#pragma once
// A file in memory without reading it: its pages come from the disk when they are looked at, and
// the kernel may drop them again, so a file larger than the memory can be open. Writing to the
// bytes changes this process's copy of a page, never the file. The file must not be shortened while
// it is mapped: the kernel answers a look at a page that is gone with SIGBUS.

#include <memory>
#include <string_view>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class MappedFile {
 public:
  /// A regular file; an empty one gives no bytes.
  static Result<std::shared_ptr<const MappedFile>> Open(const Path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Valid as long as this object lives.
  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

}  // namespace ebb::platform
