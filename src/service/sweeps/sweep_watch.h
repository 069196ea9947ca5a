#pragma once
// Successive halving (sweep/successive_halving.h) for the sweeps of the queue: reads the losses
// that experiments write to their progress files, and has experiments stopped that fall behind.
// Losses at rungs are stored in the order in which they were judged, together with the
// cancellations that followed. A service that starts again goes on from there, and reads what was
// written meanwhile.
//
// Only jobs of such sweeps are looked at, and of these only those that run.
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
    /// The job in the engine; nullptr: it has ended.
    std::function<const engine::LiveJob*(core::JobId)> live;
    std::function<void(core::JobId, std::string why)> stop;
    EventLog& events;
  };
  explicit SweepWatch(Ports ports) : ports_(std::move(ports)) {}

  /// Begins to follow a sweep that is not in the store yet.
  void Begin(const store::SweepRecord& sweep);
  /// Begins to follow an experiment. `begun`: it ran in an earlier life of the service.
  Status Add(const core::Submission& submission, bool begun = false);
  /// Reads new losses of the experiments that run, or ran at the last look, and judges them.
  void Look(std::span<const core::JobId> running);
  /// An experiment has ended: reads its last losses. It is not stopped any more, but others are
  /// judged by them.
  void End(core::JobId job);
  bool empty() const { return member_of_.empty(); }

 private:
  struct Watched {
    store::SweepRecord record;
    sweep::SuccessiveHalving halving;
    std::int64_t losses = 0;
    std::set<core::JobId> members;  // experiments that have not ended
  };
  Status TakeUp(core::SweepId id);
  void Read(const std::set<core::JobId>& jobs);
  void Judge(const report::EpochLoss& epoch);
  void Estimate(const engine::LiveJob& live, const sweep::HalvingOptions& options,
                store::RungLoss& loss) const;

  Ports ports_;
  std::map<core::SweepId, Watched> sweeps_;  // those with successive halving
  std::map<core::JobId, core::SweepId> member_of_;
  std::set<core::JobId> ran_;  // experiments that ran at the last look
  report::EpochLosses losses_;
};

}  // namespace ebb::service
