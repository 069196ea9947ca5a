#pragma once
// Counters for metrics, from the start of the service on. The loop counts; every view has a copy.
// Values.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "core/jobs/decision.h"
#include "core/ledger/budget.h"
#include "core/ledger/ledger.h"
#include "core/ledger/machine_ledger.h"
#include "service/views/job_index.h"

namespace ebb::service {

/// A histogram of durations, in buckets that double from 1 ms to 16.4 s.
struct DurationCounts {
  static constexpr std::size_t kBounds = 15;
  /// The upper bound of each bucket but the last, in seconds.
  static const std::array<double, kBounds>& Bounds();

  void Add(std::chrono::nanoseconds took);

  std::array<std::int64_t, kBounds + 1> counts{};  ///< the last bucket is above all bounds
  double sum_s = 0;
};

/// The parts of a card that a decision changes and the counters count.
struct JobMark {
  explicit JobMark(const JobCard& card)
      : stage(card.explanation.stage),
        rule(card.explanation.reason.rule),
        attempt(card.attempt),
        pauses(card.pauses) {}
  /// The job waits, or is paused, for cleaner or cheaper power.
  bool IsDelayed() const;

  engine::Stage stage;
  core::GateRule rule;
  int attempt, pauses;
};

struct Counters {
  std::int64_t submitted = 0, refused = 0;
  std::map<core::GateRule, std::int64_t> starts;  ///< attempts begun, by the rule that did it
  std::int64_t pauses = 0;
  std::int64_t succeeded = 0, failed = 0, cancelled = 0;
  std::int64_t carbon_delays = 0;  ///< how often a job began to be delayed
  std::int64_t failed_starts = 0, failed_starts_in_a_row = 0;

  std::int64_t decisions = 0;
  DurationCounts planning;
  DurationCounts store_writes;
  std::int64_t store_write_errors = 0;
  std::int64_t signal_losses = 0;
  /// Budgets that were used up: the job's tier (empty for jobs without one, "other" once there are
  /// 300 kinds), the measure that was limited, and the action that followed.
  struct Budgets {
    std::string tier;
    core::BudgetMeasure measure{};
    core::BudgetAction action{};
    auto operator<=>(const Budgets&) const = default;
  };
  std::map<Budgets, std::int64_t> budgets_reached;

  /// Sums of ledger rows as they came in: IT energy by component, emissions with PUE.
  std::array<Energy, 3> energy{};
  Energy energy_without_intensity;
  Emissions emissions;

  /// The machine's IT energy while it was read; the three parts add up to all that it used.
  struct Machine {
    Energy jobs, idle, unattributed;
    void Add(const core::MachineShares& shares);
  } machine;

  /// Ended jobs whose emissions at submission are known: their number, and both sums.
  std::int64_t compared = 0;
  Emissions compared_emissions, compared_at_submission;
  double compared_half_width_g = 0;  ///< of the difference, 95 %: the sum over jobs

  /// When the loop last published a view. A metric tells the time since, which grows if it hangs.
  std::chrono::steady_clock::time_point last_look{};

  /// Counts what a decision changed about a job.
  void Follow(const JobMark& before, const JobMark& after);
  void AddRow(const core::LedgerRow& row);
  void AddBudgetReached(const core::BudgetEvent& event, const std::string& tier);
};

}  // namespace ebb::service
