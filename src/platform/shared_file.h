#pragma once
// Files in folders where the programs of users can write, such as the folder of a job. Such a
// program may put anything in the place of a file that Ebb reads: a link to a file that only Ebb
// may read (and whose text Ebb would show to others), a pipe on which the reader waits for ever, or
// a device. Therefore these functions do not follow links, do not wait, and read only regular
// files.

#include <cstdint>
#include <string>
#include <utility>

#include "platform/file.h"

namespace ebb::platform {

/// Decides if a file may have several names (hard links). A program can give somebody
/// else's file a second name in its own folder; a file that is shown to others must have only one.
enum class HardLinks { kAllowed, kRefused };

class SharedFile {
 public:
  /// Opens the file. Fails if it does not exist or is not a regular file.
  static Result<SharedFile> Open(const Path& path, HardLinks hard_links = HardLinks::kAllowed);
  SharedFile(SharedFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
  SharedFile& operator=(SharedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    size_ = other.size_;
    return *this;
  }
  ~SharedFile();

  /// size in bytes when the file was opened
  std::uint64_t size() const { return size_; }
  /// The offset at which the kept part of the file begins (sparse_file.h); 0 if nothing was dropped
  /// or the file system cannot tell.
  std::uint64_t Beginning() const;
  /// Reads at most `most_bytes` from `offset` on; fewer at the end of the file.
  std::string Read(std::uint64_t offset, std::uint64_t most_bytes) const;

 private:
  SharedFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Reads such a file of at most `limit_bytes`.
Result<std::string> ReadSharedFile(const Path& path,
                                   std::uint64_t limit_bytes = kDefaultReadLimitBytes);

}  // namespace ebb::platform
