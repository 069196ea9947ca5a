#include "local/process/pause_marker.h"

#include <algorithm>

#include "base/json_node.h"
#include "base/text.h"
#include "core/run/run.h"
#include "local/process/attempt_outcome.h"
#include "local/process/training_contract.h"
#include "platform/shared_file.h"

namespace ebb::local {
namespace {

// Only the last, short line matters, so no more is read.
constexpr std::uint64_t kMostRead = 4096;

std::uint64_t SizeOf(const platform::Path& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  return code ? 0 : size;
}

}  // namespace

PauseMarker::PauseMarker(const platform::ChildOptions& child) {
  for (const auto& [name, value] : child.environment)
    if (name == "EBB_RUN_DIR" && !value.empty())
      progress_ = platform::Path(value) / core::kProgressFile;
  size_before_ = SizeOf(progress_);
}

bool PauseMarker::LastLineSaysSo() const {
  const std::uint64_t size = SizeOf(progress_);
  if (progress_.empty() || size <= size_before_) return false;
  const auto file = platform::SharedFile::Open(progress_);
  if (!file) return false;
  const std::uint64_t from = std::max(size_before_, size > kMostRead ? size - kMostRead : 0);
  const std::string text = file->Read(from, size - from);
  const std::string_view lines = Trim(text);
  const auto event = ParseJson(lines.substr(lines.rfind('\n') + 1), progress_.string());
  return event && event->TextOf("event") == "paused";
}

platform::ExitStatus PauseMarker::Judge(const platform::ExitStatus& status,
                                        std::vector<std::string>& warnings) const {
  const bool differs = status.by_signal || (status.code != 0 && status.code != kPausedExitCode);
  if (!differs || !LastLineSaysSo()) return status;
  warnings.push_back(
      "the program said that it paused with a checkpoint, though the command ended "
      "otherwise (" +
      HowItEnded(status) + "): it counts as paused");
  return {kPausedExitCode, false};
}

}  // namespace ebb::local
