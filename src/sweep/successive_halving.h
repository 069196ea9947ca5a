#pragma once
// Asynchronous successive halving (Li et al., "A System for Massively Parallel Hyperparameter
// Tuning", MLSys 2020), in its stopping form: when a run reaches a rung (an epoch), it goes on only
// if its loss is among the best 1/reduction of all that have reached that rung so far. Nobody waits
// for anybody, and the first runs to reach a rung always pass. Pure.
//
// What was stopped is not known to the end: whether the best configuration was kept cannot be
// known.

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
  int epochs = 0;          ///< of a whole run; > minimum_epochs
  friend bool operator==(const HalvingOptions&, const HalvingOptions&) = default;
};

/// minimum, minimum x reduction, ... below `epochs`.
std::vector<int> Rungs(const HalvingOptions& options);

struct Verdict {
  bool stop = false;
  int rung = 0;             ///< epoch of the rung that decided
  std::size_t rank = 0;     ///< from 1, among those that reached it so far
  std::size_t reached = 0;  ///< how many those are, this one included
  std::size_t kept = 0;     ///< how many of them go on
  friend bool operator==(const Verdict&, const Verdict&) = default;
};
/// "stopped at epoch 3: loss 0.75 is 5th of 7, the best 2 go on".
std::string Sentence(const Verdict& verdict, double loss);

/// "stopped by successive halving: rank 5 of 7 at epoch 3": of a job, and short.
std::string WhyStopped(const Verdict& verdict);

class SuccessiveHalving {
 public:
  explicit SuccessiveHalving(const HalvingOptions& options);

  /// A run has ended an epoch. Decides where the epoch is a rung (or the first one seen at or past
  /// it); nothing otherwise, and nothing for a rung that the run has passed before. A loss that is
  /// not a number ranks last.
  std::optional<Verdict> Report(const std::string& run, int epoch, double loss);

 private:
  struct Rung {
    int epoch = 0;
    std::map<std::string, double> losses;
  };
  HalvingOptions options_;
  std::vector<Rung> rungs_;
};

/// What a run that was stopped did not use, by estimate: the share of its epochs that was not run.
struct StoppedRun {
  Duration duration{};  ///< estimated, of the whole run
  Power power;
  int epochs_run = 0;
  Intensity planned_intensity;  ///< of the time for which the rest was planned
};
struct EstimatedSaving {
  Energy energy;
  Emissions emissions;
};
EstimatedSaving SavedBy(const StoppedRun& run, const HalvingOptions& options, Pue pue);

}  // namespace ebb::sweep
