#pragma once
// Files: whole reads with a size limit, gzip read transparently, and writes that happen completely
// or not at all. Errors carry the path and the system's reason. No function here is safe against
// another process that rewrites the same file at the same time, except WriteFileAtomically, whose
// readers see old or new.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::platform {

using Path = std::filesystem::path;

inline constexpr std::uint64_t kDefaultReadLimitBytes = 256ULL << 20;

/// The bytes of a regular file of at most `limit_bytes`.
Result<std::string> ReadFile(const Path& path, std::uint64_t limit_bytes = kDefaultReadLimitBytes);

/// Reads as ReadFile does, but content that begins with the gzip magic is decompressed (the limit
/// holds for the result). A truncated or damaged gzip file is an error, never a short result.
Result<std::string> ReadFileMaybeGzip(const Path& path,
                                      std::uint64_t limit_bytes = kDefaultReadLimitBytes);

/// Compresses `data` to a gzip file. The same data gives the same bytes each time.
Result<std::string> Compress(const std::string& data);

/// The decompressed bytes of `data` if it is gzip, `data` itself otherwise. `name` is for messages.
Result<std::string> MaybeGunzip(std::string data, const std::string& name,
                                std::uint64_t limit_bytes);

/// The users who may read a new file or directory, within the limits of the umask.
enum class Readers {
  kAll,
  kOwner,  ///< for files that may hold secrets, such as the environments of programs
};

/// Writes to a temporary sibling, fsyncs, renames over `path` and fsyncs the directory: after a
/// crash or a full disk the file is the old one or the new one, whole, with its old permissions
/// (kOwner: readable by the owner only). The temporary file is removed on failure.
Status WriteFileAtomically(const Path& path, std::string_view content,
                           Readers readers = Readers::kAll);

/// The same for content that is too long to hold in memory: `next` returns one piece after the
/// other, each valid until the next call, and an empty piece at the end.
Status WriteFileAtomically(const Path& path, const std::function<std::string_view()>& next);

/// Renames a sibling that is on the disk already over `path` and fsyncs the directory. The sibling
/// is removed on failure.
Status MoveIntoPlace(const Path& temporary, const Path& path);

/// Fails unless this user may trust the file: its owner is this user or root, and nobody else may
/// write to it (the group counts as somebody else unless it is this process's own).
Status CheckWritableByOwnerOnly(const Path& path);

/// Creates the directory with its parents and proves that a file can be created in it. An existing
/// directory keeps its permissions; `readers` does not apply to the parents.
Status EnsureWritableDirectory(const Path& path, Readers readers = Readers::kAll);

/// An append-only text file of whole lines. Each Append is one write(2), flushed to the kernel when
/// it returns, so a killed process loses at most the line it was writing.
class LineWriter {
 public:
  /// Opens for appending, creating the file; a last line without a newline (from a crash while
  /// writing) gets one.
  static Result<LineWriter> Open(const Path& path);
  LineWriter(LineWriter&& other) noexcept;
  LineWriter& operator=(LineWriter&& other) noexcept;
  ~LineWriter();

  /// Appends `line` and a newline. `line` must not contain one.
  Status Append(std::string_view line);
  /// Writes everything appended so far to the disk, so that it survives a loss of power.
  Status Flush();

 private:
  LineWriter(int descriptor, Path path);
  int descriptor_ = -1;
  Path path_;
};

}  // namespace ebb::platform
