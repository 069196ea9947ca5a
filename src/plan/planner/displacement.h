#pragma once
// A job that finds no place in time takes the place of one that can wait longer, which goes
// elsewhere. A few are asked, those that can wait longest first, so that what it costs is bounded.

#include <cstddef>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

class Displacement {
 public:
  /// Borrows all. The draft may change between two questions.
  Displacement(Draft& draft, const SearchOptions& options, Work& work);

  /// Places the urgent task, which is nowhere, in time; false, and the draft as it was, where none
  /// of those that were asked can go elsewhere without being later than before.
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
