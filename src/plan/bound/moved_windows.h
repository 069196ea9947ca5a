#pragma once
// The cheapest window for a job that begins with a move (core/jobs/move.h), under price plus rent.
// Exact: the price is piecewise linear in the begin, so its minimum lies where the begin, the end
// of the move or the end is on an edge, or at the first or last begin. Private to the bound.

#include <cstddef>
#include <vector>

#include "plan/bound/lower_bound.h"

namespace ebb::plan {

class MovedWindows {
 public:
  struct Window {
    double cost = 0;
    Time begin{};
  };
  /// The prices of one choice, by step. Borrows all; all rows have the steps of `here`.
  struct Prices {
    const PriceCurve& here;  ///< of the site of the pool
    const PriceCurve* from;  ///< of the site that sends; nullptr: none does
    const std::vector<double>&rent,
        &rents;  ///< of a device, by step; and its sums before each edge
  };

  /// The cheapest window with a begin in [earliest, last]. Keeps its memory for the next question.
  Window Cheapest(const Prices& prices, const BoundChoice& choice, int width, Time earliest,
                  Time last);

 private:
  // A price by step, and its sums before each edge.
  struct Row {
    std::vector<double> prices, sums;
  };
  // A distance from an edge, as whole steps, rounded down, and the hours beyond them.
  struct Offset {
    std::ptrdiff_t steps = 0;
    double hours = 0;
  };

  void Fill(const Prices& prices, const BoundChoice& choice, int width, std::size_t first,
            std::size_t end);
  Offset OffsetOf(Duration distance) const;
  double SumTo(const Row& row, Time time) const;
  double CostAt(const BoundChoice& choice, Time begin) const;
  void ScanBefore(Duration back, const BoundChoice& choice, Time earliest, Time last, Window& best);

  const PriceCurve* curve_ = nullptr;  ///< for its steps
  Row run_;                            ///< of running and of the devices, over the whole window
  Row move_;                           ///< beyond that, over the move
  Row both_;
  std::vector<double> costs_;
};

}  // namespace ebb::plan
