#pragma once
// Turns an engine's snapshot into text on a thread of its own, some 100 KB at a time, so that the
// loop neither waits for it nor holds all of it in memory: the thread is at most a few parts ahead
// of whoever takes them.
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
  /// `on_part` is called when there is something to take, or the end is reached.
  SnapshotThread(engine::SnapshotCopy copy, std::function<void()> on_part);
  /// What was not taken is thrown away.
  ~SnapshotThread();
  SnapshotThread(const SnapshotThread&) = delete;
  SnapshotThread& operator=(const SnapshotThread&) = delete;

  /// The next part: lines, each with its newline. Nothing: it is not there yet, or that was all.
  std::optional<std::string> Take();
  /// Everything was taken.
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
  std::thread thread_;  // last: it uses the above
};

}  // namespace ebb::store
