#pragma once
// Follows a text file that another program appends to: what became whole lines since the last look.
// A file that does not exist (yet) has none; one that was cut short or written anew is read from
// its beginning. Of the file it holds what shared_file.h says: no link, no pipe.

#include <cstdint>
#include <functional>
#include <string_view>

#include "platform/file.h"

namespace ebb::platform {

class LineTail {
 public:
  explicit LineTail(Path path, std::uint64_t offset = 0)
      : path_(std::move(path)), offset_(offset) {}

  /// Hands out the lines without their ends, of at most `most_bytes`: a program that floods its
  /// file is read on at the next call. A line longer than that is left out. True: the file may
  /// hold more lines, so the next call is worth making now.
  bool Read(const std::function<void(std::string_view line)>& take,
            std::uint64_t most_bytes = kMostBytes);

  /// Whether the file was once shorter than what had been read of it.
  bool was_cut() const { return was_cut_; }

  static constexpr std::uint64_t kMostBytes = 4 << 20;

 private:
  Path path_;
  std::uint64_t offset_;
  bool within_long_line_ = false;
  bool was_cut_ = false;
};

}  // namespace ebb::platform
