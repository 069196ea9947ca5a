#pragma once
// What a program prints, kept within a limit. The program writes to its file by itself: nothing it
// prints passes through Ebb, so nothing of it is lost or held up when Ebb is killed. When the file
// has grown beyond the limit its older half is given up (platform/sparse_file.h): offsets stay, and
// whoever follows it reads on. The price: `ls -l` shows all that was ever printed (`du` shows what
// is kept), and a file system without holes keeps everything.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ebb::local {

/// Keeps a growing file within a limit. Thread contract: one thread.
class LogTrimmer {
 public:
  /// `limit_bytes` of what is kept; 0: everything.
  LogTrimmer(std::filesystem::path file, std::uint64_t limit_bytes)
      : file_(std::move(file)), limit_(limit_bytes) {}

  /// To be called now and then.
  void Look();
  /// Why nothing can be dropped, once that is known.
  const std::optional<std::string>& trouble() const { return trouble_; }

 private:
  std::filesystem::path file_;
  std::uint64_t limit_;
  std::uint64_t dropped_ = 0;
  std::optional<std::string> trouble_;
};

struct LogPart {
  std::uint64_t begin = 0;  ///< where the text begins: later than asked where that was dropped
  std::string text;
};

/// At most so many bytes from `offset` on. After what was dropped it begins with a whole line.
/// Nothing where there is no such file.
std::optional<LogPart> ReadLog(const std::filesystem::path& file, std::uint64_t offset,
                               std::size_t most);

}  // namespace ebb::local
