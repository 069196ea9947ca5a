#pragma once
// Finds the power limit under which a running program needs the least energy for a step, while a
// step takes at most a given part longer. Pure and deterministic: it is fed with readings and
// reports of progress, and says which limit it wants. Method and sources: docs/METHOD.md.
//
// Energy is everything that is booked to the run, so a slower step also pays longer for processors
// and memory. Grams follow energy, because the intensity is the same for all limits.
//
// 1. Measure under the limit as it was. A limit above the power that a GPU draws changes nothing,
//    so the search goes on from what the GPUs draw.
// 2. Try lower limits in growing steps, until a step costs more energy, or takes too long, or the
//    lowest limit is reached.
// 3. Fit speed and power between the limits that were tried (parabolas through neighbours), and try
//    the limit that the fit calls best, until it is near one that was tried or saves no more.
// 4. Measure under the first limit again. A program whose speed has changed by itself meanwhile
//    tells nothing about limits, so the limit is left alone.
//
// Private to local/.

#include <optional>
#include <string>
#include <vector>

#include "local/power/cap_window.h"

namespace ebb::local {

struct CapSearchTerms {
  Power limit;  ///< limit of each GPU as it was; the highest one that is tried
  Power least;  ///< lowest limit that may be set
  int gpus = 1;
  core::Slowdown slower_by;
  /// Time after a change of the limit that does not count.
  Duration settle{std::chrono::seconds{2}};
  /// Shortest time under one limit. It is extended until the rate of progress is known well enough.
  Duration shortest{std::chrono::seconds{10}};
  /// Longest time under the first limit; without enough progress by then, the search gives up.
  Duration longest{std::chrono::minutes{10}};
};

class CapSearch {
 public:
  CapSearch(CapSearchTerms terms, Time begin);

  /// Readings and progress may come late, but each kind in order.
  void Take(const core::EnergyReading& reading) { window_.Take(reading); }
  void Take(const ProgressMark& mark) { window_.Take(mark); }
  /// The program was stopped for a while: the window begins again.
  void Interrupt(Time now) { Begin(now); }

  /// Looks at what has come so far. Returns true if another limit is wanted from now on.
  bool Look(Time now);
  /// The limit that is wanted now.
  Power cap() const { return cap_; }
  /// True once the search has ended; then `cap` is kept.
  bool done() const { return done_; }
  /// Ends the search and leaves the limit alone.
  void GiveUp(std::string why);
  /// The result; until the search is done, what was measured so far. Without the device's model.
  core::PowerChoice Choice() const;

 private:
  enum class Stage { kFirst, kTry, kFirstAgain };

  void Begin(Time now);
  bool IsEnough(const core::CapTrial& trial, Time now) const;
  std::string WhyNotEnough() const;
  void TakeTrial(const core::CapTrial& trial);
  void TakeFirstAgain(const core::CapTrial& trial);
  void TryNext();
  double draw_w() const;
  Power Reach() const;
  std::optional<Power> Below(std::vector<core::CapTrial>::const_iterator trial) const;
  void Try(Power cap);
  void FinishTrials();

  CapSearchTerms terms_;
  Stage stage_ = Stage::kFirst;
  Power cap_;
  bool done_ = false;
  Time window_begin_{};
  Duration first_window_{};  // time that the first measurement took
  CapWindow window_;
  int windows_ = 0;                     // measured so far
  std::vector<core::CapTrial> trials_;  // highest limit first
  std::optional<Power> chosen_;
  double slower_ = 0, saved_ = 0;
  std::string why_;
};

}  // namespace ebb::local
