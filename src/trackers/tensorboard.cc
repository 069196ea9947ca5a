#include "trackers/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/file.h"
#include "platform/system.h"
#include "trackers/event_record.h"

namespace ebb::trackers {
namespace {

// Rows of "| key | text |"; characters that would end a cell are replaced.
std::string MarkdownTable(const Texts& texts) {
  std::string table = "| setting | value |\n|---|---|\n";
  for (const auto& [key, text] : texts) {
    std::string cell;
    for (const char c : text) {
      if (c == '|') cell += '\\';
      cell += c == '\n' || c == '\r' ? ' ' : c;
    }
    table += "| " + key + " | " + cell + " |\n";
  }
  return table;
}

class TensorBoard final : public Tracker {
 public:
  explicit TensorBoard(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ~TensorBoard() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  std::string name() const override { return "TensorBoard " + directory_.string(); }

  Status Begin(const TrackedRun& run) override {
    const std::filesystem::path directory = directory_ / run.run_id;
    EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
    const std::string host = platform::HostName();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(run.begin).time_since_epoch();
    file_ =
        directory / ("events.out.tfevents." + std::to_string(seconds.count()) + "." +
                     (host.empty() ? "host" : host) + "." + std::to_string(platform::ProcessId()));
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return Fail(Failed());
    std::string records = FramedRecord(FileVersionEvent(run.begin));
    records +=
        FramedRecord(TextEvent("configuration", MarkdownTable(run.configuration), run.begin));
    return Write(records);
  }

  Status Log(std::span<const Value> values) override {
    std::string records;
    for (const Value& value : values) records += FramedRecord(ScalarEvent(value));
    return Write(records);
  }

  Status End(Outcome, Time) override { return {}; }

 private:
  Error Failed() const {
    return {ExitCode::kUnavailable, std::string("cannot be written: ") + std::strerror(errno),
            file_.string(), ""};
  }
  // A half-written record would end the file for every reader, so it is cut off again.
  Status Write(std::string_view records) {
    const ssize_t written = ::write(descriptor_, records.data(), records.size());
    if (written == static_cast<ssize_t>(records.size())) {
      size_ += static_cast<off_t>(written);
      return {};
    }
    if (written >= 0) errno = ENOSPC;
    const Error error = Failed();
    std::ignore = ::ftruncate(descriptor_, size_);
    std::ignore = ::lseek(descriptor_, size_, SEEK_SET);
    return Fail(error);
  }

  const std::filesystem::path directory_;
  std::filesystem::path file_;
  int descriptor_ = -1;
  off_t size_ = 0;
};

}  // namespace

std::unique_ptr<Tracker> MakeTensorBoard(std::filesystem::path directory) {
  return std::make_unique<TensorBoard>(std::move(directory));
}

}  // namespace ebb::trackers
