#pragma once
// Who gets devices now. Jobs come in the policy's order; each takes a pool where its whole gang
// fits. A job that does not fit is passed by smaller ones (backfill), unless it must start now:
// then the devices it waits for are kept for it, and only jobs that will be gone by then, or that
// use what it does not need, may pass. Private to the engine.

#include <algorithm>
#include <optional>
#include <vector>

#include "core/decision.h"
#include "engine/engine.h"

namespace ebb::engine {

/// A job that wants to run now.
struct Candidate {
  std::size_t index = 0;  ///< into State::live
  bool must_start = false;
};

/// What became of a candidate.
struct Placement {
  std::size_t index = 0;
  int pool = -1;                                        ///< -1: not now
  core::GateRule hold = core::GateRule::kNoFreeDevice;  ///< why not
};

class Placer {
 public:
  /// `holding`: the live jobs that hold devices, as indices; must outlive the placer.
  Placer(const Options& options, const State& state, const std::vector<std::size_t>& holding,
         Time now);
  Placement Place(const Candidate& candidate);
  bool nothing_is_free() const {
    return std::all_of(free_.begin(), free_.end(), [](int devices) { return devices <= 0; });
  }
  /// When the ramp limit allows more, if it held a job back.
  Time ramp_wake_at() const { return ramp_wake_at_; }

 private:
  // The devices of one pool that are kept for a wide job.
  struct Reservation {
    Time from{};    // when it can start
    int spare = 0;  // devices that it leaves free even then
  };

  bool RampAllows(Power power);
  bool RoomFor(const LiveJob& live, int pool) const;
  bool PassesReservation(const LiveJob& live, int pool) const;
  int Choose(const Candidate& candidate, const LiveJob& live, const plan::JobPlan& plan) const;
  double GramsOn(const LiveJob& live, int pool) const;
  core::GateRule WhyNot(const LiveJob& live, const plan::JobPlan& plan) const;
  void Reserve(const LiveJob& live, const plan::JobPlan& plan);
  Reservation ReservationOn(const LiveJob& live, int pool) const;
  Duration RunTimeOn(const LiveJob& live, int pool) const;

  const Options& options_;
  const State& state_;
  const std::vector<std::size_t>& holding_;
  Time now_;
  std::vector<int> free_;         // as pools
  std::vector<int> free_before_;  // at the beginning of the cycle
  std::vector<std::optional<Reservation>> reserved_;
  std::vector<std::pair<std::size_t, int>> placed_;  // (index, pool) in this cycle
  double ramp_used_w_ = 0;
  bool ramp_closed_ = false;
  Time ramp_wake_at_ = Time::max();
};

}  // namespace ebb::engine
