#include "store/database/job_numbers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace ebb::store {
namespace {

// The file always has the same length, so that a write on a full disk needs no new space.
constexpr std::size_t kWidth = 20;

std::optional<core::JobId> NumberIn(const std::string& text) {
  const auto number = ParseInteger(Trim(text));
  return number && *number >= 0 ? std::optional<core::JobId>(*number) : std::nullopt;
}

}  // namespace

std::vector<core::JobId> NumberedFolders(const platform::Path& directory) {
  std::vector<core::JobId> numbers;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(directory, code))
    if (const auto number = NumberIn(entry.path().filename().string()))
      if (entry.is_directory(code)) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

JobNumbers JobNumbers::Open(platform::Path file) {
  JobNumbers numbers(std::move(file));
  if (numbers.file_.empty()) return numbers;
  const auto text = platform::ReadFile(numbers.file_, 2 * kWidth);
  const auto kept = text ? NumberIn(*text) : std::nullopt;
  if (kept) {
    numbers.highest_ = *kept;
  } else {
    const auto folders = NumberedFolders(numbers.file_.parent_path());
    if (!folders.empty()) numbers.highest_ = folders.back();
  }
  return numbers;
}

Status JobNumbers::Keep(core::JobId highest) {
  if (file_.empty() || highest <= highest_) return {};
  std::string text = std::to_string(highest);
  text.resize(kWidth - 1, ' ');
  text += '\n';
  const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool written = file >= 0 && ::pwrite(file, text.data(), text.size(), 0) == kWidth;
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (!written)
    return Fail({ExitCode::kUnavailable,
                 std::string("cannot keep the highest job number: ") + std::strerror(reason),
                 file_.string(), "free some disk space, and check the permissions"});
  highest_ = highest;
  return {};
}

}  // namespace ebb::store
