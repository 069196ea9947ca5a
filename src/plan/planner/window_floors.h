#pragma once
// The least price of a window by the step of time in which it begins, for one choice of a task. The
// floors tell the search of a long queue where to look (placement_search.h), because a pool may
// have thousands of rooms. Exact without a move, because the price is piecewise linear in the
// begin: its minimum within a step lies where the begin or the end is on an edge.

#include <cstddef>
#include <vector>

#include "plan/problem/draft.h"
#include "plan/problem/lowest.h"

namespace ebb::plan {

class WindowFloors {
 public:
  /// Fills the floors of all begins in `begins`, in units of WindowPrice. `rooms`: the longest room
  /// by step (RoomsByStep::Longest). Keeps its memory for the next choice.
  void Fill(const PlanInput& input, const Task& task, const Choice& choice, Interval begins,
            const std::vector<double>& rooms);

  /// Number of steps that `begins` touches.
  std::size_t size() const { return end_ - first_; }
  /// The floors by step, to be taken one after the other: none in steps without room.
  RowToTakeFrom& floors() { return floors_; }

 private:
  // The prices of a curve, times a factor, and those of another one, if there is one.
  struct Prices {
    const PriceCurve& curve;
    double factor = 1;
    const PriceCurve* other = nullptr;
    double factor_of_other = 0;
  };

  void AddAll(const PlanInput& input, const Task& task, const Choice& choice, std::size_t last);
  void AddWindows(const Prices& prices, Duration length, std::size_t last);
  void Weigh(const Prices& prices, const std::vector<double>& (PriceCurve::*row)() const, double by,
             std::size_t end, std::vector<double>& weighed) const;
  void AddOnEdges(std::size_t last);
  void AddLong(const double* sums, std::size_t whole, double part, std::size_t last);
  void FillTail(const PlanInput& input, const Task& task, const Choice& choice, std::size_t from);

  std::size_t first_ = 0, end_ = 0;
  RowToTakeFrom floors_;
  std::vector<double> on_begin_, weighed_;
};

/// The price of a window that begins at `begin`: of the kilowatts of the choice or, without a move,
/// of one kilowatt.
double WindowPrice(const PlanInput& input, const Choice& choice, const RunPrice& price, Time begin);

}  // namespace ebb::plan
