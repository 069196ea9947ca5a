#pragma once
// All ways to run one elastic job alone: a width in each unit of time. Part of
// exhaustive_for_test.h.

#include <vector>

#include "plan/planner/exhaustive_for_test.h"

namespace ebb::plan::testing {

/// A way to run one job.
struct Way {
  int pool = 0;
  std::vector<int> units;   ///< the first ones are the move
  std::vector<int> widths;  ///< devices in each of `units`; empty: the job's own width
  double grams = 0;
  std::vector<int> pools{};  ///< pool of each of `units`; empty: `pool`
};

/// Adds the ways on a pool, with their cost. The job has no move.
void AddWaysWithWidths(const Instance& instance, const core::Job& job, int pool,
                       std::vector<Way>& ways);

}  // namespace ebb::plan::testing
