#include "report/run/progress_tail.h"

namespace ebb::report {
namespace {

std::uint64_t SizeOf(const platform::Path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

ProgressTail::ProgressTail(const platform::Path& path, From from)
    : tail_(path, from == From::kPresentEnd ? SizeOf(path) : 0) {}

std::vector<ProgressEvent> ProgressTail::Poll() {
  std::vector<ProgressEvent> events;
  has_more_ = tail_.Read([&](std::string_view line) {
    if (auto event = ParseProgressLine(line)) events.push_back(*std::move(event));
  });
  return events;
}

}  // namespace ebb::report
