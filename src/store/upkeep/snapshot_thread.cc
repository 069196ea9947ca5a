#include "store/upkeep/snapshot_thread.h"

#include <utility>

namespace ebb::store {
namespace {

constexpr std::size_t kPartBytes = 128 << 10;
// As many parts as a transaction takes, so that each new part can wake the writer.
constexpr std::size_t kMostAhead = 4;

}  // namespace

SnapshotThread::SnapshotThread(engine::SnapshotCopy copy, std::function<void()> on_part)
    : copy_(std::move(copy)), on_part_(std::move(on_part)), thread_([this] { Work(); }) {}

SnapshotThread::~SnapshotThread() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  taken_.notify_one();
  thread_.join();
}

void SnapshotThread::Work() {
  std::string part;
  const bool whole = copy_.Write([&](std::string_view line) {
    part += line;
    part += '\n';
    return part.size() <= kPartBytes || Put(std::exchange(part, {}));
  });
  if (!whole || !Put(std::move(part))) return;
  {
    const std::lock_guard guard(mutex_);
    all_there_ = true;
  }
  on_part_();
}

// Returns false if the snapshot is not wanted any more.
bool SnapshotThread::Put(std::string part) {
  {
    std::unique_lock guard(mutex_);
    taken_.wait(guard, [this] { return stopping_ || parts_.size() < kMostAhead; });
    if (stopping_) return false;
    if (!part.empty()) parts_.push_back(std::move(part));
  }
  on_part_();
  return true;
}

std::optional<std::string> SnapshotThread::Take() {
  std::optional<std::string> part;
  {
    const std::lock_guard guard(mutex_);
    if (parts_.empty()) return part;
    part = std::move(parts_.front());
    parts_.pop_front();
  }
  taken_.notify_one();
  return part;
}

bool SnapshotThread::ended() const {
  const std::lock_guard guard(mutex_);
  return all_there_ && parts_.empty();
}

}  // namespace ebb::store
