#pragma once
// All ways to run one job alone that go from site to site. Part of exhaustive_for_test.h.

#include <vector>

#include "plan/planner/exhaustive_widths_for_test.h"

namespace ebb::plan::testing {

/// A move as docs/plan.md describes it, worked out without core/jobs/move.h.
struct OwnMove {
  int units = 0;
  int from = 0;                           ///< site that sends
  double network_kwh = 0, there_kwh = 0;  ///< in all; `there` with PUE
};

/// The move of a job that ran last at a site, or has not begun (-1), to a pool.
OwnMove OwnMoveOf(const Instance& instance, const core::Job& job, int last_site, int pool);

/// True if the labels of the job's data, and its own list, allow the site.
bool MayRunAt(const core::Job& job, const core::Site& site);

/// Grams of running for one unit, or of a unit of a move. With the cost of the job's preferences.
double RunningGrams(const Instance& instance, const core::Job& job, int pool, int unit);
double MovingGrams(const Instance& instance, const core::Job& job, const OwnMove& move, int pool,
                   int unit);

/// Adds the ways with pieces at two or more sites, with their cost. The job stays at each for an
/// hour or longer.
void AddTours(const Instance& instance, const core::Job& job, std::vector<Way>& ways);

}  // namespace ebb::plan::testing
