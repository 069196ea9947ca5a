#pragma once
// Keeps a run within its budget: says when to warn, when to ask the program to end, and when to end
// it. A state machine over the samples of one attempt; what earlier attempts used and what they
// already said is handed in, so that every crossing is said once over a whole run, and a limit that
// pauses does so once. One that stops the run stops every attempt that meets it.
//
// It looks ahead: the program is asked to end when what is used, the next sample and the grace
// period (at the power of the latest sample, or the attempt's mean where that is higher) would
// reach the limit. At most a tenth of the limit is kept back for the grace period. A program that
// still runs when its grace is over or the limit is reached is killed, so a limit is never exceeded
// by more than the sample in which it was met, whatever the program does. (A limit that one sample
// jumps over, so that nobody could ask in time, kills at once.)
//
// Thread contract: one thread.

#include <array>
#include <optional>
#include <vector>

#include "core/budget.h"

namespace ebb::runtime {

/// What one attempt has used, and how fast, as of its latest sample.
struct BudgetSample {
  Time wall{};
  Time grid{};
  Duration since_boot{};  ///< runtime::Clock::SinceBoot now
  core::BudgetUse used;   ///< in this attempt
  /// Expected over the next sample, of IT.
  Power power;
  std::optional<Intensity> intensity;  ///< now
};

enum class BudgetOrder { kNone, kAskToEnd, kKill };

struct BudgetStep {
  BudgetOrder order = BudgetOrder::kNone;
  std::vector<core::BudgetEvent> events;  ///< to be recorded; none comes twice
};

class BudgetWatch {
 public:
  struct Terms {
    core::Budget budget;
    core::BudgetUse used_before;           ///< by earlier attempts
    std::vector<core::BudgetEvent> fired;  ///< in earlier attempts
    int attempt = 1;
    Pue pue;
    Duration sample_interval{1000};
  };
  explicit BudgetWatch(Terms terms);

  /// After each sample.
  BudgetStep OnSample(const BudgetSample& sample);
  /// Between samples too: kKill once the grace period is over, by `since_boot`. `now`: wall time.
  BudgetStep OnTime(Duration since_boot, Time now, Time grid_now);

  /// The program was asked to end because of its budget.
  bool asked_to_end() const { return asked_at_.has_value(); }
  core::BudgetAction action() const { return terms_.budget.action; }

 private:
  core::BudgetEvent Event(core::BudgetMeasure measure, core::BudgetLevel level) const;
  bool HasFired(const core::BudgetEvent& event) const;
  void Look(core::BudgetMeasure measure, const BudgetSample& sample, BudgetStep& step);
  bool Fire(const core::BudgetEvent& event, BudgetStep& step);
  void Kill(core::BudgetEvent event, BudgetStep& step);

  Terms terms_;
  std::optional<Duration> asked_at_;  ///< since boot
  core::BudgetMeasure asked_for_ = core::BudgetMeasure::kEnergy;
  std::array<bool, 2> reached_now_{};  ///< by measure, in this attempt
  bool killed_ = false;
  BudgetSample latest_;
};

}  // namespace ebb::runtime
