#pragma once
// What came, or left its devices, since a plan desk last had new jobs placed. While the standing
// plan is followed (engine::Planning::kFollow) it waits, and by() says for how long it can.
//
// Thread contract: the loop's.

#include "engine/engine.h"

namespace ebb::runtime {

class AwaitedPlaces {
 public:
  /// Before each decision.
  void Add(const engine::Engine& engine, Time now);
  /// The decision gives all of them their place.
  void Clear() { *this = {}; }

  bool any() const { return any_; }
  /// One of them has to start by then.
  Time by() const { return by_; }

 private:
  bool any_ = false;
  Time by_ = Time::max();
};

}  // namespace ebb::runtime
