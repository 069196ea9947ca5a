#pragma once
// Files that lie where programs can write that Ebb only runs: in the folder of a job. Such a
// program may put anything in the place of a file that Ebb reads: a link to a file that only Ebb
// may read (and whose text Ebb would show to others), a pipe on which whoever opens it waits for
// ever, a device. So nothing here follows a link, nothing waits, and only regular files are read.

#include <cstdint>
#include <string>
#include <utility>

#include "platform/file.h"

namespace ebb::platform {

/// Whether a file may have several names (hard links). A program can give somebody else's file a
/// second name in its own folder; what is shown to others must have only one.
enum class HardLinks { kAllowed, kRefused };

class SharedFile {
 public:
  /// An Error where there is no such file, or where it is not a regular file.
  static Result<SharedFile> Open(const Path& path, HardLinks hard_links = HardLinks::kAllowed);
  SharedFile(SharedFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
  SharedFile& operator=(SharedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    size_ = other.size_;
    return *this;
  }
  ~SharedFile();

  /// When it was opened.
  std::uint64_t size() const { return size_; }
  /// Where what is kept of it begins (sparse_file.h); 0: nothing was dropped, or the file system
  /// cannot say.
  std::uint64_t Beginning() const;
  /// At most so many bytes from `offset` on; fewer at its end.
  std::string Read(std::uint64_t offset, std::uint64_t most_bytes) const;

 private:
  SharedFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// The bytes of such a file, of at most `limit_bytes`.
Result<std::string> ReadSharedFile(const Path& path,
                                   std::uint64_t limit_bytes = kDefaultReadLimitBytes);

}  // namespace ebb::platform
