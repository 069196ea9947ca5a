#pragma once
// Follows a text file that another program appends to, and returns the lines completed since the
// last look. A file that does not exist (yet) has no lines; one that was truncated or rewritten is
// read from its beginning. The file is opened as in shared_file.h: links and pipes are refused.

#include <cstdint>
#include <functional>
#include <string_view>

#include "platform/file.h"

namespace ebb::platform {

class LineTail {
 public:
  explicit LineTail(Path path, std::uint64_t offset = 0)
      : path_(std::move(path)), offset_(offset) {}

  /// Passes the lines, without their ends, to `take`. Reads at most `most_bytes`, so that a program
  /// which floods its file is read on at the next call. A line longer than that is left out.
  /// Returns true if the file may hold more lines, so that another call now is useful.
  bool Read(const std::function<void(std::string_view line)>& take,
            std::uint64_t most_bytes = kMostBytes);

  /// True if the file was ever shorter than the part that had been read of it.
  bool was_cut() const { return was_cut_; }

  static constexpr std::uint64_t kMostBytes = 4 << 20;

 private:
  Path path_;
  std::uint64_t offset_;
  bool within_long_line_ = false;
  bool was_cut_ = false;
};

}  // namespace ebb::platform
