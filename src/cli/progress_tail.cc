#include "cli/progress_tail.h"

#include <fcntl.h>
#include <unistd.h>

namespace ebb::cli {
namespace {
// A program that floods its progress file is read in slices; a line longer than this is dropped.
constexpr std::size_t kLongestLine = 64 << 10;
}  // namespace

ProgressTail::ProgressTail(platform::Path path, From from) : path_(std::move(path)) {
  if (from == From::kBeginning) return;
  std::error_code code;
  const auto size = std::filesystem::file_size(path_, code);
  if (!code) offset_ = size;
}

ProgressTail::~ProgressTail() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::vector<report::ProgressEvent> ProgressTail::Poll() {
  std::vector<report::ProgressEvent> events;
  if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) return events;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t count = ::pread(descriptor_, buffer, sizeof buffer, static_cast<off_t>(offset_));
    if (count <= 0) return events;
    offset_ += static_cast<std::uint64_t>(count);
    partial_.append(buffer, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = partial_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      if (auto event =
              report::ParseProgressLine(std::string_view(partial_).substr(begin, end - begin)))
        events.push_back(*std::move(event));
    }
    partial_.erase(0, begin);
    if (partial_.size() > kLongestLine) partial_.clear();
  }
}

}  // namespace ebb::cli
