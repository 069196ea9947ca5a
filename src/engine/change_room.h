#pragma once
// The devices for changes of running jobs in one cycle: those that a wider job can get, those that
// a narrower one leaves to others, and those at another site for a job that moves there. Worked out
// when first asked for, since few cycles change jobs. Private to the engine.

#include <vector>

#include "engine/placement.h"
#include "engine/queue_index.h"

namespace ebb::engine {

class ChangeRoom {
 public:
  /// Everything must outlive the object. `starts`: what the cycle starts.
  ChangeRoom(const State& state, const QueueIndex& index, const std::vector<Placement>& starts)
      : state_(state), index_(index), starts_(starts) {}

  /// Takes what a running job needs beside its own devices. False: it is not free. A job that
  /// paused anyway would have to start as narrow as it is, and would pause again at once.
  bool Take(const LiveJob& live, int width);
  /// Takes what the movers need at the sites of their plans, as far as devices are free there or
  /// other movers leave them. The movers are places of running jobs.
  void TakeMoves(std::vector<std::size_t> movers);
  /// True if TakeMoves found devices for the job. One that paused without would wait for nothing.
  bool HasMove(std::size_t place) const;
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
  std::vector<std::size_t> movers_;
};

}  // namespace ebb::engine
