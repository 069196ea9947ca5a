#pragma once
// Facts that the service itself tells the engine: a job whose predecessors have succeeded is
// released, one whose sweep stopped it is cancelled. The loop takes them before any request.
//
// Thread contract: the loop's thread.

#include <functional>
#include <utility>
#include <vector>

#include "engine/event.h"

namespace ebb::service {

class FactQueue {
 public:
  /// `wake` ends the loop's wait.
  explicit FactQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  void Push(engine::Fact fact) { facts_.push_back(std::move(fact)); }
  /// Push, for callers that run while the loop waits.
  void PushAndWake(engine::Fact fact) {
    Push(std::move(fact));
    wake_();
  }
  bool empty() const { return facts_.empty(); }
  std::vector<engine::Fact> TakeAll() { return std::exchange(facts_, {}); }

 private:
  std::function<void()> wake_;
  std::vector<engine::Fact> facts_;
};

}  // namespace ebb::service
