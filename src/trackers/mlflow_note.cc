#include "trackers/mlflow_note.h"

#include "base/text.h"
#include "platform/file.h"

namespace ebb::trackers {
namespace {
constexpr std::uint64_t kLongestNote = 64 << 10;
}  // namespace

Status WriteRunNote(const std::filesystem::path& note, const std::string& target,
                    const std::string& id) {
  return platform::WriteFileAtomically(note, target + "\n" + id + "\n");
}

std::optional<std::string> RunIn(const std::filesystem::path& note, std::string_view target) {
  const auto text = platform::ReadFile(note, kLongestNote);
  if (!text) return std::nullopt;
  const std::vector<std::string_view> lines = Split(*text, '\n');
  if (lines.size() < 2 || lines[0] != target || lines[1].empty()) return std::nullopt;
  return std::string(lines[1]);
}

}  // namespace ebb::trackers
