#pragma once
// A file mapped into memory. Its pages come from the disk when they are accessed, and the kernel
// may drop them again, so the file may be larger than the memory. Writing to the bytes changes this
// process's copy of a page, never the file. The file must not be shortened while it is mapped:
// access to a page that is gone raises SIGBUS.

#include <memory>
#include <string_view>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class MappedFile {
 public:
  /// Maps a regular file. An empty file gives no bytes.
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
