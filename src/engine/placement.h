#pragma once
// Decides which jobs get devices now. Jobs come in the policy's order; each takes a pool where its
// whole gang fits. Smaller jobs pass a job that does not fit (backfill), unless it must start now.
// Then its devices are reserved, and another job may pass only if it ends before they are needed or
// uses devices that the wide job leaves free. Private to the engine.

#include <algorithm>
#include <optional>
#include <vector>

#include "core/jobs/decision.h"
#include "engine/engine.h"

namespace ebb::engine {

/// A job that wants to run now.
struct Candidate {
  std::size_t index = 0;  ///< index into State::live
  bool must_start = false;
};

struct Placement {
  std::size_t index = 0;
  int pool = -1;                                        ///< -1: the job does not start now
  int devices = 0;                                      ///< width of an elastic job; 0: its own
  core::GateRule hold = core::GateRule::kNoFreeDevice;  ///< the reason if the job does not start
};

class Placer {
 public:
  /// `holding`: the live jobs that hold devices, as indices. It must outlive the placer.
  Placer(const Options& options, const State& state, const std::vector<std::size_t>& holding,
         Time now);
  Placement Place(const Candidate& candidate);
  bool nothing_is_free() const {
    return std::all_of(free_.begin(), free_.end(), [](int devices) { return devices <= 0; });
  }
  /// When the ramp limit allows more power, if it held a job back.
  Time ramp_wake_at() const { return ramp_wake_at_; }

 private:
  // Devices of one pool that are reserved for a wide job.
  struct Reservation {
    Time from{};    // when the wide job can start
    int spare = 0;  // devices that the wide job leaves free even then
  };

  bool RampAllows(Power power);
  bool RoomFor(const LiveJob& live, int pool, int devices) const;
  bool PassesReservation(const LiveJob& live, int pool, int devices) const;
  int Choose(const Candidate& candidate, const LiveJob& live, const plan::JobPlan& plan,
             int devices) const;
  double GramsOn(const LiveJob& live, int pool) const;
  core::GateRule WhyNot(const LiveJob& live, const plan::JobPlan& plan) const;
  void Reserve(const LiveJob& live, const plan::JobPlan& plan);
  Reservation ReservationOn(const LiveJob& live, int pool) const;
  Duration RunTimeOn(const LiveJob& live, int pool, int devices) const;

  const Options& options_;
  const State& state_;
  const std::vector<std::size_t>& holding_;
  Time now_;
  std::vector<int> free_;         // free devices of each pool
  std::vector<int> free_before_;  // free devices of each pool at the beginning of the cycle
  std::vector<std::optional<Reservation>> reserved_;
  std::vector<Placement> placed_;  // the jobs placed in this cycle
  double ramp_used_w_ = 0;
  bool ramp_closed_ = false;
  Time ramp_wake_at_ = Time::max();
};

}  // namespace ebb::engine
