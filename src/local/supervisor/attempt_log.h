#pragma once
// Keeps the output of a program within a limit. The program writes to its file by itself: nothing
// it prints passes through Ebb, so nothing of it is lost or held up when Ebb is killed. When the
// file has grown beyond the limit its older half is dropped (platform/sparse_file.h): offsets stay
// valid, so followers of the file read on. The price: `ls -l` shows all that was ever printed (`du`
// shows what is kept), and a file system without holes keeps everything.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ebb::local {

/// Keeps a growing file within a limit. Thread contract: one thread.
class LogTrimmer {
 public:
  /// `limit_bytes` is the kept size; 0 keeps everything.
  LogTrimmer(std::filesystem::path file, std::uint64_t limit_bytes)
      : file_(std::move(file)), limit_(limit_bytes) {}

  /// Checks the size; call it regularly.
  void Look();
  /// The reason for which nothing can be dropped, once it is known.
  const std::optional<std::string>& trouble() const { return trouble_; }

 private:
  std::filesystem::path file_;
  std::uint64_t limit_;
  std::uint64_t dropped_ = 0;
  std::optional<std::string> trouble_;
};

struct LogPart {
  std::uint64_t begin = 0;  ///< offset of the text; later than asked if that part was dropped
  std::string text;
};

/// Reads at most `limit` bytes from `offset` on. After a dropped part it begins with a whole line.
/// Nothing if there is no such file.
std::optional<LogPart> ReadLog(const std::filesystem::path& file, std::uint64_t offset,
                               std::size_t most);

}  // namespace ebb::local
