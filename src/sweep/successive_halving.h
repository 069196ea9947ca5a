#pragma once
// Asynchronous successive halving (Li et al., "A System for Massively Parallel Hyperparameter
// Tuning", MLSys 2020), in its stopping form: when a run reaches a rung (an epoch), it goes on only
// if its loss is among the best 1/reduction of all that have reached that rung so far. No run waits
// for another, and the first runs to reach a rung always pass. Pure.
//
// The final loss of a stopped run stays unknown, so nobody can tell whether the best configuration
// was kept.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::sweep {

struct HalvingOptions {
  int reduction = 3;       ///< >= 2
  int minimum_epochs = 1;  ///< the first rung
  int epochs = 0;          ///< epochs of a whole run; > minimum_epochs
  friend bool operator==(const HalvingOptions&, const HalvingOptions&) = default;
};

/// The epochs of the rungs: minimum, minimum x reduction, ... below `epochs`.
std::vector<int> Rungs(const HalvingOptions& options);

struct Verdict {
  bool stop = false;
  int rung = 0;             ///< epoch of the rung that decided
  std::size_t rank = 0;     ///< from 1, among the runs that reached the rung so far
  std::size_t reached = 0;  ///< number of runs that reached the rung so far, this one included
  std::size_t kept = 0;     ///< how many of those runs go on
  friend bool operator==(const Verdict&, const Verdict&) = default;
};
/// A sentence such as "stopped at epoch 3: loss 0.75 is 5th of 7, the best 2 go on".
std::string Sentence(const Verdict& verdict, double loss);

/// A short reason for the job: "stopped by successive halving: rank 5 of 7 at epoch 3".
std::string WhyStopped(const Verdict& verdict);

class SuccessiveHalving {
 public:
  explicit SuccessiveHalving(const HalvingOptions& options);

  /// Tells that a run has ended an epoch. Returns a verdict if the epoch is a rung, or the first
  /// one reported at or past it; nothing otherwise, and nothing for a rung that the run has passed
  /// before. A loss that is not a number ranks last.
  std::optional<Verdict> Report(const std::string& run, int epoch, double loss);

 private:
  struct Rung {
    int epoch = 0;
    std::map<std::string, double> losses;
  };
  HalvingOptions options_;
  std::vector<Rung> rungs_;
};

/// A stopped run, for the estimate of what it did not use: the share of its epochs that it did not
/// run.
struct StoppedRun {
  Duration duration{};  ///< estimated duration of the whole run
  Power power;
  int epochs_run = 0;
  Intensity planned_intensity;  ///< intensity in the time for which the rest was planned
};
struct EstimatedSaving {
  Energy energy;
  Emissions emissions;
};
EstimatedSaving SavedBy(const StoppedRun& run, const HalvingOptions& options, Pue pue);

}  // namespace ebb::sweep
