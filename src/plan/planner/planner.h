#pragma once
// The default policy. It plans all queued and running jobs over all devices and the horizon, so
// that the expected grams are lowest and every feasible deadline is kept, whatever the forecast
// does: each plan is complete and feasible, and the next one begins from it. Method: it begins with
// a schedule as soon as possible or with the previous one (construct.h), placed anew under the
// rents of the devices if many jobs want the same hours (rented_search.h). It then moves jobs one
// by one and in small groups (local_search.h) under one price per step of time (slot_prices.h). A
// lower bound comes from Lagrangian relaxation of the capacity (lower_bound.h), and the next plan
// begins with its rents. Ties go to the earlier start, so a flat signal gives first come, first
// served. Pure: the budget is counted in work, not in seconds.

#include <cstdint>
#include <memory>
#include <optional>

#include "base/units.h"
#include "core/jobs/move.h"
#include "plan/policy.h"
#include "plan/problem/slot_prices.h"

namespace ebb::plan {

/// Limits of work in places looked at, some 20 ns each: `per_job` for each job, and no more than
/// `most`. The bound has limits of the same kind; its places take 1 ns each.
struct WorkBudget {
  std::int64_t per_job = 0;
  std::int64_t most = 0;
  std::int64_t bound_per_job = 0;
  std::int64_t bound = 0;
};

struct PlannerOptions {
  /// The shortest step of time with a price of its own, for queues of more than `exact_up_to` jobs;
  /// smaller ones have 5 minutes. Steps are no finer than the forecast.
  Duration slot{std::chrono::minutes{15}};
  /// Starts of a large queue lie on a grid with lines this far apart, and devices are held to the
  /// next line; a small queue is planned to the millisecond. Every line costs a job half its length
  /// of device time: with lines a minute apart, jobs of 20 minutes lose 2 % of the devices.
  Duration large_queue_grid{std::chrono::seconds{5}};
  std::size_t exact_up_to = 400;
  /// The plan reaches at least this far ahead, and further if a deadline is later (up to 30 days).
  /// Jobs without a deadline wait no longer than this after submission.
  Duration horizon{std::chrono::hours{96}};
  /// A job of a queue of at most `exact_up_to` jobs goes from site to site while it runs only if
  /// that saves at least this share of its price at the best single site.
  double move_saves = core::kMoveSaves;
  /// A job waits only if that saves this share of the grams of the earliest start, and this much.
  double minimum_saving_share = 0;
  Emissions minimum_saving{};
  /// Starting jobs add no more power than this in five minutes, unless a deadline requires it.
  std::optional<Power> ramp_limit_per_5_minutes;
  /// Quantile of the forecast, and the weight of money beside carbon.
  PriceOptions prices;
  /// If true, thresholds and priorities of jobs count (plan/problem/preferences.h); otherwise only
  /// grams.
  bool uses_preferences = true;
  /// Budgets of a plan from nothing, and of a plan that continues the last schedule.
  WorkBudget first_plan{30'000, 20'000'000, 250'000, 300'000'000};
  WorkBudget next_plan{4'000, 1'600'000, 25'000, 25'000'000};
  /// Queues of at least this many jobs are placed under rents (rented_search.h) before the search.
  std::size_t rented_from = 40;
  /// Number of new jobs for which Policy::PlaceBeside finds a place at once; more wait for the
  /// whole plan.
  std::size_t most_placed_beside = 100;
  /// Limit of the work for deadlines beside the whole plans: for jobs that make way for late ones,
  /// and for making a new plan cheap again.
  std::int64_t most_moved_beside = 300'000;
  /// Queues with fewer job-steps than this get the stronger bound by flow.
  std::size_t most_flow_arcs = 20'000;
};

std::unique_ptr<Policy> MakePlanner(const PlannerOptions& options);

}  // namespace ebb::plan
