#pragma once
// The records of an agent until they are too many, numbered from 1 on: in memory, and in a
// directory so that a restart loses none. They are kept whether or not somebody has fetched them: a
// controller that begins anew asks for them again. The oldest go first.
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
#include "core/node_record.h"
#include "platform/file.h"
#include "platform/file_lock.h"

namespace ebb::app {

struct SpoolOptions {
  std::string node;
  /// Empty: in memory only.
  std::filesystem::path directory;
  std::size_t most_bytes = 16 << 20;
  /// What a person should know.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

class RecordSpool {
 public:
  /// Goes on after what is there. An Error: the directory cannot be used, or another agent uses it
  /// (kTryLater).
  static Result<std::unique_ptr<RecordSpool>> Open(SpoolOptions options);

  /// Gives it its number. Where the disk takes it not, it is kept in memory, and that is said.
  void Append(core::NodeRecord record);
  /// Those after this number, the oldest first, as lines after a head; about so many bytes at most.
  /// Numbers of another epoch mean nothing: those that end after `since`.
  std::string After(const std::string& epoch, std::int64_t number, Time since,
                    std::size_t bytes) const;

  struct Counts {
    std::int64_t written = 0, dropped = 0, unreadable = 0;  ///< since the start
    std::int64_t kept = 0;
    std::size_t kept_bytes = 0;
    Time newest{};  ///< its end
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
  std::string trouble_;  // said
};

}  // namespace ebb::app
