#pragma once
// The least price of a window by the step of time in which it begins, for one choice of a task.
// In a long queue a pool has thousands of rooms. The floors tell the search where to look
// (placement_search.h): all of them together take as long as a look at some fifty rooms. Exact
// without a move, because the price is piecewise linear in the begin: its minimum within a step
// lies where the begin or the end is on an edge.

#include <cstddef>
#include <limits>
#include <vector>

#include "plan/problem/draft.h"

namespace ebb::plan {

class WindowFloors {
 public:
  /// Fills the floors of all begins in `begins`, in units of WindowPrice. Keeps its memory for the
  /// next choice.
  void Fill(const PlanInput& input, const Task& task, const Choice& choice, Interval begins);

  /// The steps that `begins` touches.
  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  double Of(std::size_t step) const { return floors_[step]; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  void AddLengths(const PriceCurve& curve, double factor, Duration length, std::size_t last);
  void AddLowest(std::size_t last);

  std::size_t first_ = 0, end_ = 0;
  std::vector<double> floors_, on_begin_, on_end_;
  double lowest_ = 0, highest_ = 0;
};

/// The price of a window that begins at `begin`: of the kilowatts of the choice or, without a move,
/// of one kilowatt.
double WindowPrice(const PlanInput& input, const Choice& choice, const RunPrice& price, Time begin);

}  // namespace ebb::plan
