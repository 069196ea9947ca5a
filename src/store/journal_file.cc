#include "store/journal_file.h"

#include <filesystem>

#include "engine/journal_json.h"

namespace ebb::store {
namespace {

constexpr std::uint64_t kReadLimitBytes = 8ULL << 30;

// A crash while writing leaves half a line; what follows it must begin a line of its own.
Status CutTornLine(const platform::Path& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return {};
  EBB_ASSIGN_OR_RETURN(const std::string content, platform::ReadFile(path, kReadLimitBytes));
  if (content.empty() || content.back() == '\n') return {};
  std::filesystem::resize_file(path, content.rfind('\n') + 1, code);
  if (code)
    return Fail({ExitCode::kUnavailable, "cannot cut a torn line: " + code.message(), path.string(),
                 "check the permissions"});
  return {};
}

}  // namespace

Result<JournalFile> JournalFile::Open(const platform::Path& path) {
  EBB_RETURN_IF_ERROR(CutTornLine(path));
  EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(path));
  return JournalFile(std::move(writer));
}

Status JournalFile::Append(const runtime::JournalRecord& record) {
  EBB_RETURN_IF_ERROR(writer_.Append(engine::ToJsonLine(record)));
  if (std::holds_alternative<engine::Decision>(record)) return writer_.Flush();
  return {};
}

Result<std::vector<runtime::JournalRecord>> ReadJournal(const platform::Path& path) {
  EBB_ASSIGN_OR_RETURN(const std::string content, platform::ReadFile(path, kReadLimitBytes));
  std::vector<runtime::JournalRecord> records;
  std::size_t begin = 0;
  for (std::size_t end; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1) {
    auto record = engine::FromJsonLine(std::string_view(content).substr(begin, end - begin));
    if (!record) {
      Error error = record.error();
      error.where = path.string() + ":" + std::to_string(records.size() + 1);
      return Fail(std::move(error));
    }
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace ebb::store
