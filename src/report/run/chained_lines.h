#pragma once
// Files of JSON lines whose lines are chained (platform/digest_chain.h). Each line ends with the
// field "chain": the link over all of the line before that field. The link before the first line is
// made of the digest of run.json and the file's name, so no file can stand in for another. A line
// that follows lines without a link (an older Ebb wrote them) covers all text before it.
// Layout: docs/run-directory.md, Chains.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::report {

/// Limit of a file's size. A day of 1 Hz samples of eight devices is 140 MB; a week of two is 250
/// MB.
inline constexpr std::uint64_t kLinesLimitBytes = 4ULL << 30;

class ChainedLines {
 public:
  /// Continues the file, or begins it. `run_digest` is the SHA-256 of run.json.
  static Result<ChainedLines> Open(const std::filesystem::path& file, std::string_view run_digest);
  /// Appends `line`, one JSON object without the field "chain".
  Status Append(std::string_view line);

 private:
  ChainedLines(platform::LineWriter writer, std::string head)
      : writer_(std::move(writer)), head_(std::move(head)) {}
  platform::LineWriter writer_;
  std::string head_;
};

/// The link in a line; empty if it has none.
std::string_view LinkOfLine(std::string_view line);

/// The link before the next line of a file with this text.
std::string HeadOf(std::string_view text, std::string_view file_name, std::string_view run_digest);

}  // namespace ebb::report
