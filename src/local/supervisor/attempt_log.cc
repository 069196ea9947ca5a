#include "local/supervisor/attempt_log.h"

#include <algorithm>

#include "platform/shared_file.h"
#include "platform/sparse_file.h"

namespace ebb::local {

void LogTrimmer::Look() {
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
  // The log is shown to other users, so a link to another file is refused.
  const auto log = platform::SharedFile::Open(file, platform::HardLinks::kRefused);
  if (!log) return std::nullopt;
  LogPart part{std::max(offset, log->Beginning()), {}};
  part.text = log->Read(part.begin, most);
  if (part.begin == offset) return part;
  if (const auto line = part.text.find('\n'); line != std::string::npos) {
    part.text.erase(0, line + 1);
    part.begin += line + 1;
  }
  return part;
}

}  // namespace ebb::local
