#include "platform/line_tail.h"

#include <algorithm>
#include <string>

#include "platform/shared_file.h"

namespace ebb::platform {

bool LineTail::Read(const std::function<void(std::string_view line)>& take,
                    std::uint64_t most_bytes) {
  const auto file = SharedFile::Open(path_);
  if (!file || file->size() == offset_) return false;
  const std::uint64_t size = file->size();
  if (size < offset_) {
    offset_ = 0;
    within_long_line_ = false;
    was_cut_ = true;
  }
  const std::string text = file->Read(offset_, std::min(size - offset_, most_bytes));
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (!std::exchange(within_long_line_, false))
      take(std::string_view(text).substr(begin, end - begin));
  }
  if (begin == 0 && text.size() == most_bytes) {
    begin = text.size();
    within_long_line_ = true;
  }
  offset_ += begin;
  return text.size() == most_bytes;
}

}  // namespace ebb::platform
