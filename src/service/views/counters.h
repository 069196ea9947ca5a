#pragma once
// What the service counts, from its start on: for metrics. Values only; the loop counts, and every
// view carries a copy.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "core/budget.h"
#include "core/decision.h"
#include "core/ledger.h"
#include "core/machine_ledger.h"
#include "service/views/job_index.h"

namespace ebb::service {

/// How long something took, in buckets that double from a millisecond to 16.4 s.
struct DurationCounts {
  static constexpr std::size_t kBounds = 15;
  /// In seconds: the upper bound of each bucket but the last.
  static const std::array<double, kBounds>& Bounds();

  void Add(std::chrono::nanoseconds took);

  std::array<std::int64_t, kBounds + 1> counts{};  ///< by bucket; the last one is above all bounds
  double sum_s = 0;
};

/// What is counted of a job before and after a decision.
struct JobMark {
  explicit JobMark(const JobCard& card)
      : stage(card.explanation.stage),
        rule(card.explanation.reason.rule),
        attempt(card.attempt),
        pauses(card.pauses) {}
  /// It has not begun, or not gone on, for the sake of the grid.
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
  std::int64_t carbon_delays = 0;  ///< how often a job began to wait for cleaner power
  std::int64_t failed_starts = 0, failed_starts_in_a_row = 0;

  std::int64_t decisions = 0;
  DurationCounts planning;
  DurationCounts store_writes;
  std::int64_t store_write_errors = 0;
  std::int64_t signal_losses = 0;
  /// Budgets that were used up, by tier ("" for jobs without one; "other" once there are 300
  /// kinds), what was limited and what followed.
  struct Budgets {
    std::string tier;
    core::BudgetMeasure measure{};
    core::BudgetAction action{};
    auto operator<=>(const Budgets&) const = default;
  };
  std::map<Budgets, std::int64_t> budgets_reached;

  /// Of ledger rows as they came in: IT energy by component, emissions with PUE.
  std::array<Energy, 3> energy{};
  Energy energy_without_intensity;
  Emissions emissions;

  /// Of the machine while it was read: IT energy, which adds up to what it used.
  struct Machine {
    Energy jobs, idle, unattributed;
    void Add(const core::MachineShares& shares);
  } machine;

  /// Of jobs that have ended and whose emissions at submission are known: what both came to.
  std::int64_t compared = 0;
  Emissions compared_emissions, compared_at_submission;
  double compared_half_width_g = 0;  ///< of their difference, 95 %: the sum of the jobs' own

  /// When the loop last published: a service that hangs does not.
  std::chrono::steady_clock::time_point last_look{};

  /// What a decision changed about a job.
  void Follow(const JobMark& before, const JobMark& after);
  void AddRow(const core::LedgerRow& row);
  void AddBudgetReached(const core::BudgetEvent& event, const std::string& tier);
};

}  // namespace ebb::service
