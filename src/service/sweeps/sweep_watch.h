#pragma once
// Successive halving (sweep/successive_halving.h) for the sweeps of the queue: follows what their
// experiments tell in their progress files, and has those stopped that fall behind. What is told at
// a rung is stored in the order in which it was judged, together with the cancellation that came of
// it; a service that starts again takes it up from there and reads what was told meanwhile.
//
// Jobs that belong to no such sweep are not looked at, and of the others only those that run.
//
// Thread contract: the loop's thread.

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>

#include "engine/state.h"
#include "report/run/epoch_losses.h"
#include "runtime/grid_clock.h"
#include "service/views/event_log.h"
#include "store/service_store.h"

namespace ebb::service {

class SweepWatch {
 public:
  struct Ports {
    store::ServiceStore& store;
    const runtime::GridClock& clock;
    Pue pue;
    std::function<std::filesystem::path(core::JobId)> directory_of;
    /// As the engine has it; nullptr once it has ended.
    std::function<const engine::LiveJob*(core::JobId)> live;
    std::function<void(core::JobId, std::string why)> stop;
    EventLog& events;
  };
  explicit SweepWatch(Ports ports) : ports_(std::move(ports)) {}

  /// A sweep of which nothing is durable yet.
  void Begin(const store::SweepRecord& sweep);
  /// One of its experiments. `begun`: it ran in an earlier life.
  Status Add(const core::Submission& submission, bool begun = false);
  /// Reads on in those that run, and in those that did when it looked last; judges.
  void Look(std::span<const core::JobId> running);
  /// Reads what is left of it; it is not judged any more, but others are by what it told.
  void End(core::JobId job);
  bool empty() const { return member_of_.empty(); }

 private:
  struct Watched {
    store::SweepRecord record;
    sweep::SuccessiveHalving halving;
    std::int64_t losses = 0;
    std::set<core::JobId> members;  // that have not ended
  };
  Status TakeUp(core::SweepId id);
  void Read(const std::set<core::JobId>& jobs);
  void Judge(const report::EpochLoss& told);
  void Estimate(const engine::LiveJob& live, const sweep::HalvingOptions& options,
                store::RungLoss& loss) const;

  Ports ports_;
  std::map<core::SweepId, Watched> sweeps_;  // with successive halving
  std::map<core::JobId, core::SweepId> member_of_;
  std::set<core::JobId> ran_;  // when it looked last
  report::EpochLosses losses_;
};

}  // namespace ebb::service
