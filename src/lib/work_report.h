#pragma once
// The progress of a program that measures itself, as progress.jsonl of its run directory.
// Counts of work are written a few times a second at most, however often they are added.
//
// Thread contract: any thread.

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "core/ledger/work.h"
#include "platform/file.h"

namespace ebb::lib {

class WorkReport {
 public:
  Status Open(const platform::Path& file);
  /// Writes an event with the present counts.
  Status Say(const std::string& event, std::optional<int> epoch = {});
  /// Adds work that was done. Fails if a count is negative, or after End.
  Status Add(const core::Work& work);
  /// Writes the last counts, if they are not written yet.
  Status End();

 private:
  Status Write(const std::string& event, std::optional<int> epoch);

  std::mutex mutex_;
  std::optional<platform::LineWriter> writer_;
  core::Work done_;
  bool has_unwritten_ = false, has_ended_ = false;
  std::chrono::steady_clock::time_point write_at_{};
};

}  // namespace ebb::lib
