#include "app/agent/record_spool.h"

#include <memory>
#include <utility>

#include "base/text.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr const char *kNewer = "records.jsonl", *kOlder = "records.before.jsonl";
constexpr std::size_t kLongestFile = 1 << 30;

// An identifier of this start. After a power cut, records may be lost and their numbers used again,
// so numbers are only valid within an epoch.
Result<std::string> NewEpoch() {
  EBB_ASSIGN_OR_RETURN(const std::string text,
                       platform::ReadFile("/proc/sys/kernel/random/uuid", 64));
  return std::string(Trim(text));
}

}  // namespace

Result<std::unique_ptr<RecordSpool>> RecordSpool::Open(SpoolOptions options) {
  std::unique_ptr<RecordSpool> spool(new RecordSpool(std::move(options)));
  EBB_ASSIGN_OR_RETURN(spool->epoch_, NewEpoch());
  if (!spool->options_.directory.empty()) EBB_RETURN_IF_ERROR(spool->Load());
  return spool;
}

Status RecordSpool::Load() {
  const fs::path& directory = options_.directory;
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory, platform::Readers::kOwner));
  auto lock = platform::FileLock::Take(directory / "lock");
  if (!lock) {
    lock.error().next = "one agent measures a node: remove the other one";
    return Fail(lock.error());
  }
  lock_ = *std::move(lock);
  for (const char* name : {kOlder, kNewer}) EBB_RETURN_IF_ERROR(LoadFile(directory / name));
  if (counts_.unreadable > 0)
    options_.say(std::to_string(counts_.unreadable) + " records in " + directory.string() +
                 " cannot be read, and are left out");
  std::error_code error;
  const auto size = fs::file_size(directory / kNewer, error);
  file_bytes_ = error ? 0 : static_cast<std::size_t>(size);
  EBB_ASSIGN_OR_RETURN(auto file, platform::LineWriter::Open(directory / kNewer));
  file_.emplace(std::move(file));
  return {};
}

Status RecordSpool::LoadFile(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, kLongestFile));
  for (const std::string_view line : Split(text, '\n')) {
    if (line.empty()) continue;
    const auto record = FromFieldText<core::NodeRecord>(line, file.string());
    if (!record || record->number <= last_) {
      ++counts_.unreadable;
      continue;
    }
    counts_.newest = record->wall.end;
    Keep({record->number, record->wall.end, std::string(line)});
  }
  return {};
}

void RecordSpool::Keep(Line line) {
  last_ = line.number;
  counts_.kept_bytes += line.text.size();
  lines_.push_back(std::move(line));
  while (counts_.kept_bytes > options_.most_bytes && lines_.size() > 1) {
    counts_.kept_bytes -= lines_.front().text.size();
    lines_.pop_front();
    ++counts_.dropped;
  }
}

void RecordSpool::Append(core::NodeRecord record) {
  const std::lock_guard lock(mutex_);
  record.number = last_ + 1;
  std::string line = ToFieldText(record);
  ++counts_.written;
  counts_.newest = record.wall.end;
  Write(line);
  Keep({record.number, record.wall.end, std::move(line)});
}

void RecordSpool::Write(const std::string& line) {
  if (!file_) return;
  const Status written = WriteLine(line);
  std::string trouble = written ? "" : written.error().Message();
  if (trouble == trouble_) return;
  options_.say(written ? "records are written again"
                       : "a record cannot be written (" + trouble +
                             "): records are kept in memory, and a restart would lose them");
  trouble_ = std::move(trouble);
}

Status RecordSpool::WriteLine(const std::string& line) {
  if (file_bytes_ + line.size() > options_.most_bytes / 2 && file_bytes_ > 0) {
    std::error_code error;
    fs::rename(options_.directory / kNewer, options_.directory / kOlder, error);
    if (!error) {
      EBB_ASSIGN_OR_RETURN(auto file, platform::LineWriter::Open(options_.directory / kNewer));
      *file_ = std::move(file);
      file_bytes_ = 0;
    }
  }
  EBB_RETURN_IF_ERROR(file_->Append(line));
  file_bytes_ += line.size() + 1;
  return file_->Flush();
}

std::string RecordSpool::After(const std::string& epoch, std::int64_t number, Time since,
                               std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const bool by_number = epoch == epoch_;
  std::string text = ToFieldText(core::NodeRecordsHead{
      options_.node, epoch_, lines_.empty() ? last_ + 1 : lines_.front().number, last_});
  text += '\n';
  for (const Line& line : lines_) {
    if (by_number ? line.number <= number : line.end <= since) continue;
    text += line.text;
    text += '\n';
    if (text.size() >= bytes) break;
  }
  return text;
}

RecordSpool::Counts RecordSpool::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.kept = static_cast<std::int64_t>(lines_.size());
  return counts;
}

}  // namespace ebb::app
