#include "report/run/chained_lines.h"

#include "base/check.h"
#include "platform/digest_chain.h"
#include "platform/shared_file.h"

namespace ebb::report {
namespace {

constexpr std::string_view kField = ",\"chain\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kTail = kField.size() + platform::kLinkDigits + kEnd.size();

std::string_view LastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto newline = text.rfind('\n');
  return newline == std::string_view::npos ? text : text.substr(newline + 1);
}

}  // namespace

std::string_view LinkOfLine(std::string_view line) {
  if (line.size() < kTail || !line.ends_with(kEnd)) return {};
  const std::string_view tail = line.substr(line.size() - kTail);
  return tail.starts_with(kField) ? tail.substr(kField.size(), platform::kLinkDigits)
                                  : std::string_view();
}

std::string HeadOf(std::string_view text, std::string_view file_name, std::string_view run_digest) {
  if (const std::string_view link = LinkOfLine(LastLine(text)); !link.empty())
    return std::string(link);
  const std::string begin = platform::NextLink(run_digest, file_name);
  return text.empty() ? begin : platform::NextLink(begin, text);
}

Result<ChainedLines> ChainedLines::Open(const std::filesystem::path& file,
                                        std::string_view run_digest) {
  EBB_ASSIGN_OR_RETURN(platform::LineWriter writer, platform::LineWriter::Open(file));
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadSharedFile(file, kLinesLimitBytes));
  return ChainedLines(std::move(writer), HeadOf(text, file.filename().string(), run_digest));
}

Status ChainedLines::Append(std::string_view line) {
  EBB_CHECK(line.size() > 2 && line.starts_with('{') && line.ends_with('}'));
  const std::string_view open = line.substr(0, line.size() - 1);
  std::string link = platform::NextLink(head_, open);
  std::string whole(open);
  whole.append(kField).append(link).append(kEnd);
  EBB_RETURN_IF_ERROR(writer_.Append(whole));
  head_ = std::move(link);
  return {};
}

}  // namespace ebb::report
