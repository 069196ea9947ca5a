#pragma once
// Keeps a run within its budget: says when to warn, when to ask the program to end, and when to end
// it. A state machine over the samples of one attempt. The use and the events of earlier attempts
// are passed in, so that each crossing is reported once over a whole run, and a limit that pauses
// the run does so once. A limit that stops the run stops every attempt that meets it.
//
// The watch looks ahead: it asks the program to end when the use so far, the next sample and the
// grace period (at the power of the latest sample, or the attempt's mean if that is higher) would
// reach the limit. At most a tenth of the limit is kept back for the grace period. A program that
// still runs when its grace is over or the limit is reached is killed, so a limit is never exceeded
// by more than the sample in which it was met, whatever the program does. (If a single sample
// passes the limit before the program could be asked, the program is killed at once.)
//
// Thread contract: one thread.

#include <array>
#include <optional>
#include <vector>

#include "core/ledger/budget.h"

namespace ebb::runtime {

/// Use of one attempt and its rate, as of its latest sample.
struct BudgetSample {
  Time wall{};
  Time grid{};
  Duration since_boot{};  ///< the present runtime::Clock::SinceBoot
  core::BudgetUse used;   ///< use in this attempt
  /// Expected power of the IT equipment over the next sample.
  Power power;
  std::optional<Intensity> intensity;  ///< present intensity; nullopt: unknown
};

enum class BudgetOrder { kNone, kAskToEnd, kKill };

struct BudgetStep {
  BudgetOrder order = BudgetOrder::kNone;
  std::vector<core::BudgetEvent> events;  ///< events to be recorded; none comes twice
};

class BudgetWatch {
 public:
  struct Terms {
    core::Budget budget;
    core::BudgetUse used_before;           ///< use of earlier attempts
    std::vector<core::BudgetEvent> fired;  ///< events of earlier attempts
    int attempt = 1;
    Pue pue;
    Duration sample_interval{1000};
  };
  explicit BudgetWatch(Terms terms);

  /// Call it after each sample.
  BudgetStep OnSample(const BudgetSample& sample);
  /// Call it between samples too. Returns kKill once the grace period, measured by `since_boot`, is
  /// over. `now` is wall time.
  BudgetStep OnTime(Duration since_boot, Time now, Time grid_now);

  /// True if the program was asked to end because of its budget.
  bool asked_to_end() const { return asked_at_.has_value(); }
  core::BudgetAction action() const { return terms_.budget.action; }

 private:
  core::BudgetEvent Event(core::BudgetMeasure measure, core::BudgetLevel level) const;
  bool HasFired(const core::BudgetEvent& event) const;
  void Look(core::BudgetMeasure measure, const BudgetSample& sample, BudgetStep& step);
  bool Fire(const core::BudgetEvent& event, BudgetStep& step);
  void Kill(core::BudgetEvent event, BudgetStep& step);

  Terms terms_;
  std::optional<Duration> asked_at_;  ///< by Clock::SinceBoot
  core::BudgetMeasure asked_for_ = core::BudgetMeasure::kEnergy;
  std::array<bool, 2> reached_now_{};  ///< by measure; in this attempt
  bool killed_ = false;
  BudgetSample latest_;
};

}  // namespace ebb::runtime
