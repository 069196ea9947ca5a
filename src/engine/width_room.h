#pragma once
// The devices for changes of width in one cycle: those that a wider job can get, and those that a
// narrower one leaves to others. Worked out when first asked for, since few cycles change widths.
// Private to the engine.

#include <vector>

#include "engine/placement.h"
#include "engine/queue_index.h"

namespace ebb::engine {

class WidthRoom {
 public:
  /// Everything must outlive the object. `starts`: what the cycle starts.
  WidthRoom(const State& state, const QueueIndex& index, const std::vector<Placement>& starts)
      : state_(state), index_(index), starts_(starts) {}

  /// Takes what a running job needs beside its own devices. False: it is not free. A job that
  /// paused anyway would have to start as narrow as it is, and would pause again at once.
  bool Take(const LiveJob& live, int width);
  /// True if the plans of other jobs need devices that the job would leave by this width.
  bool IsNeeded(const LiveJob& live, int width);

 private:
  void FindFree();
  void FindPlanned();
  void Plan(std::size_t place);

  const State& state_;
  const QueueIndex& index_;
  const std::vector<Placement>& starts_;
  std::vector<int> free_;     // by pool, after the starts
  std::vector<int> planned_;  // by pool: devices of all jobs that are to run now, as planned
};

}  // namespace ebb::engine
