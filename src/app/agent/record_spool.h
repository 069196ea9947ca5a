#pragma once
// Keeps the records of an agent, numbered from 1 on, in memory and in a directory, so that a
// restart loses none. Records stay after they were fetched, because a controller that starts anew
// asks for them again. The oldest are dropped when there are too many.
//
// Files: records.jsonl and, before it, records.before.jsonl, half of the limit each.
//
// Thread contract: any thread.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/run/node_record.h"
#include "platform/file.h"
#include "platform/file_lock.h"

namespace ebb::app {

struct SpoolOptions {
  std::string node;
  /// empty for a spool in memory only
  std::filesystem::path directory;
  std::size_t most_bytes = 16 << 20;
  /// Tells people what they should know.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

class RecordSpool {
 public:
  /// Continues after the records in the directory. An Error if the directory cannot be used, or if
  /// another agent uses it (kTryLater).
  static Result<std::unique_ptr<RecordSpool>> Open(SpoolOptions options);

  /// Numbers the record and keeps it. If the disk fails, the record stays in memory and the failure
  /// is reported.
  void Append(core::NodeRecord record);
  /// The records after this number, oldest first, as lines below a head line, about `bytes` at
  /// most. Numbers of another epoch are not comparable: then the records that end after `since`.
  std::string After(const std::string& epoch, std::int64_t number, Time since,
                    std::size_t bytes) const;

  struct Counts {
    std::int64_t written = 0, dropped = 0, unreadable = 0;  ///< counts since the start
    std::int64_t kept = 0;
    std::size_t kept_bytes = 0;
    Time newest{};  ///< end of the newest record
  };
  Counts counts() const;

 private:
  explicit RecordSpool(SpoolOptions options) : options_(std::move(options)) {}
  Status Load();
  Status LoadFile(const std::filesystem::path& file);
  struct Line {
    std::int64_t number = 0;
    Time end{};
    std::string text;
  };
  void Keep(Line line);
  void Write(const std::string& line);
  Status WriteLine(const std::string& line);

  SpoolOptions options_;
  std::optional<platform::FileLock> lock_;
  mutable std::mutex mutex_;
  std::string epoch_;
  std::deque<Line> lines_;
  std::int64_t last_ = 0;
  Counts counts_;
  std::optional<platform::LineWriter> file_;
  std::size_t file_bytes_ = 0;
  std::string trouble_;  // trouble that was reported
};

}  // namespace ebb::app
