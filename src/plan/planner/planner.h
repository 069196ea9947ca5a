#pragma once
// The default policy: plans all queued and running jobs over all devices and the horizon so that
// the expected grams are lowest and every feasible deadline is kept, whatever the forecast does:
// each plan is complete and feasible, and the next one begins from it. Method: a schedule as soon
// as possible or the previous one (construct.h), placed anew under the rents of the devices where
// many jobs want the same hours (rented_search.h), improved by moving jobs one by one and in small
// groups (local_search.h) under one price per step of time (slot_prices.h), with a lower bound from
// Lagrangian relaxation of the capacity (lower_bound.h), whose rents the next plan begins with.
// Ties go to the earlier start, so a flat signal gives first come, first served. Pure: the budget
// is counted in work, not in seconds.

#include <cstdint>
#include <memory>
#include <optional>

#include "base/units.h"
#include "plan/policy.h"
#include "plan/problem/slot_prices.h"

namespace ebb::plan {

/// Units of work: places looked at, some 10 ns each. `per_job` of it for each job, and no more than
/// `most`; the bound, whose places take 1 ns each, likewise.
struct WorkBudget {
  std::int64_t per_job = 0;
  std::int64_t most = 0;
  std::int64_t bound_per_job = 0;
  std::int64_t bound = 0;
};

struct PlannerOptions {
  /// The shortest step of time that has a price of its own, for queues of more than `exact_up_to`
  /// jobs; smaller ones have 5 minutes. No finer than the forecast.
  Duration slot{std::chrono::minutes{15}};
  /// Starts of a large queue lie on lines this far apart, and devices are held to the next line; a
  /// small queue is planned to the millisecond. Every line costs a job half its length of device
  /// time: lines a minute apart cost jobs of 20 minutes 2 % of the devices.
  Duration large_queue_grid{std::chrono::seconds{5}};
  std::size_t exact_up_to = 400;
  /// At least this far ahead, further where a deadline is later (up to 30 days). Jobs without a
  /// deadline wait no longer than this after submission.
  Duration horizon{std::chrono::hours{96}};
  /// A job waits only if that saves this share of the grams of the earliest start, and this much.
  double minimum_saving_share = 0;
  Emissions minimum_saving{};
  /// Starting jobs add no more than this in five minutes, except where a deadline asks for it.
  std::optional<Power> ramp_limit_per_5_minutes;
  /// Quantile of the forecast, and money beside carbon.
  PriceOptions prices;
  /// Thresholds and priorities of jobs count (plan/problem/preferences.h); otherwise grams alone.
  bool uses_preferences = true;
  /// For a plan from nothing, and for one that goes on from the last schedule.
  WorkBudget first_plan{30'000, 20'000'000, 250'000, 300'000'000};
  WorkBudget next_plan{4'000, 3'000'000, 25'000, 25'000'000};
  /// Queues of so many jobs are placed under rents (rented_search.h) before they are searched.
  std::size_t rented_from = 40;
  /// New jobs that Policy::PlaceBeside finds a place for at once; more wait for the whole plan.
  std::size_t most_placed_beside = 100;
  /// Work that deadlines may cause beside the whole plans: jobs that make way for those that would
  /// be late, and a plan begun afresh made cheap again.
  std::int64_t most_moved_beside = 300'000;
  /// Queues with fewer job-steps than this get the stronger bound by flow.
  std::size_t most_flow_arcs = 20'000;
};

std::unique_ptr<Policy> MakePlanner(const PlannerOptions& options);

}  // namespace ebb::plan
