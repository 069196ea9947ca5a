#pragma once
// A job that finds no place in time takes the place of a job that can wait longer, which moves
// elsewhere. Only a few jobs are tried, those that can wait longest first, so that the cost is
// bounded.

#include <cstddef>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

class Displacement {
 public:
  /// Borrows all arguments. The draft may change between two calls.
  Displacement(Draft& draft, const SearchOptions& options, Work& work);

  /// Places the urgent task, which has no place, in time. Returns false, with the draft unchanged,
  /// if none of the tried jobs can move elsewhere without being later than before.
  bool For(std::size_t urgent);

 private:
  bool IsInTheWay(std::size_t other, std::size_t urgent) const;
  bool TakePlaceOf(std::size_t other, std::size_t urgent);

  Draft& draft_;
  const SearchOptions& options_;
  Work& work_;
  std::vector<std::size_t> loosest_first_;
};

}  // namespace ebb::plan
