#pragma once
// Removes the ledgers and folders of jobs that ended long ago, in small steps.
//
// Thread contract: the loop's thread.

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "service/views/event_log.h"
#include "store/service_store.h"

namespace ebb::service {

class Pruner {
 public:
  struct Ports {
    store::ServiceStore& store;
    EventLog& events;
    std::function<Time()> now;  ///< on the grid clock
    std::function<std::filesystem::path(core::JobId)> directory_of;
  };
  /// `keep`: for so long after its end a job keeps its ledger and its folder; nothing: for ever.
  /// `look_every`: wall time between two looks if nothing was old enough.
  Pruner(Ports ports, std::optional<Duration> keep, Duration look_every)
      : ports_(std::move(ports)), keep_(keep), look_every_(look_every) {}

  /// Removes what is due, for a few milliseconds. True: more is due.
  bool PruneSome();
  /// The clock has leapt ahead, or nobody looked at it for long. What is removed cannot be brought
  /// back, so nothing is removed by that clock for a day.
  void DistrustClock();

 private:
  using Clock = std::chrono::steady_clock;
  void RemoveFolder(core::JobId job);

  Ports ports_;
  std::optional<Duration> keep_;
  Duration look_every_;
  Clock::time_point next_look_{};
};

}  // namespace ebb::service
