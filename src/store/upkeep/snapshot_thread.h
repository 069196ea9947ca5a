#pragma once
// Turns an engine's snapshot into text on a thread of its own, some 100 KB at a time, so that the
// loop neither waits for it nor holds all of it in memory: the thread is at most a few parts ahead
// of the caller of Take.
//
// Thread contract: one thread, that of the database; `on_part` is called by its own.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/state_json.h"

namespace ebb::store {

class SnapshotThread {
 public:
  /// `on_part` is called when a part is ready or the end is reached.
  SnapshotThread(engine::SnapshotCopy copy, std::function<void()> on_part);
  /// Throws away the parts that were not taken.
  ~SnapshotThread();
  SnapshotThread(const SnapshotThread&) = delete;
  SnapshotThread& operator=(const SnapshotThread&) = delete;

  /// The next part: lines, each with its newline. Nothing: it is not ready yet, or all were taken.
  std::optional<std::string> Take();
  /// Tells that everything was taken.
  bool ended() const;

 private:
  void Work();
  bool Put(std::string part);

  engine::SnapshotCopy copy_;
  const std::function<void()> on_part_;
  mutable std::mutex mutex_;
  std::condition_variable taken_;
  std::deque<std::string> parts_;
  bool all_there_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last member: its function uses the members above
};

}  // namespace ebb::store
