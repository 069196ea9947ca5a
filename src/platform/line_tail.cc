#include "platform/line_tail.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace ebb::platform {

bool LineTail::Read(const std::function<void(std::string_view line)>& take,
                    std::uint64_t most_bytes) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path_, error);
  if (error || size == offset_) return false;
  if (size < offset_) {
    offset_ = 0;
    within_long_line_ = false;
  }
  std::ifstream stream(path_, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset_));
  std::string text(std::min<std::uintmax_t>(size - offset_, most_bytes), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
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
