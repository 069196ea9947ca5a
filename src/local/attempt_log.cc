#include "local/attempt_log.h"

#include <algorithm>
#include <fstream>

#include "platform/sparse_file.h"

namespace ebb::local {

void LogKeeper::Look() {
  if (limit_ == 0 || trouble_) return;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(file_, code);
  if (code || size <= dropped_ + limit_) return;
  const std::uint64_t keep_from = size - limit_ / 2;
  if (const Status dropped = platform::DropBeginning(file_, keep_from); !dropped)
    trouble_ = dropped.error().Message();
  dropped_ = keep_from;
}

std::optional<LogPart> ReadLog(const std::filesystem::path& file, std::uint64_t offset,
                               std::size_t most) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  const std::uint64_t beginning = platform::BeginningOf(file);
  LogPart part{std::max(offset, beginning), std::string(most, '\0')};
  stream.seekg(static_cast<std::streamoff>(part.begin));
  stream.read(part.text.data(), static_cast<std::streamsize>(part.text.size()));
  part.text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  if (part.begin == offset) return part;
  if (const auto line = part.text.find('\n'); line != std::string::npos) {
    part.text.erase(0, line + 1);
    part.begin += line + 1;
  }
  return part;
}

}  // namespace ebb::local
