#include "plan/planner/window_floors.h"

#include <algorithm>

namespace ebb::plan {

double WindowPrice(const PlanInput& input, const Choice& choice, const RunPrice& price,
                   Time begin) {
  const double run = price.Integral(begin, begin + choice.length);
  if (choice.move.takes == Duration::zero()) return run;
  return choice.kilowatts * run + input.MovePrice(choice, input.CurveOf(choice), begin);
}

void WindowFloors::Fill(const PlanInput& input, const Task& task, const Choice& choice,
                        Interval begins) {
  const PriceCurve& curve = input.CurveOf(choice);
  const RunPrice price = input.PriceOf(task, choice);
  const ChoiceMove& move = choice.move;
  const Duration step = curve.step();
  const auto step_of = [&](Time time) {
    return static_cast<std::size_t>(std::max(time - curve.begin(), Duration::zero()) / step);
  };
  first_ = step_of(begins.begin);
  end_ = step_of(begins.end) + 1;
  floors_.assign(std::max(floors_.size(), end_), 0.0);
  on_begin_.resize(floors_.size() + 1);
  on_end_.resize(floors_.size() + 1);
  // Windows that begin later would end after the last step.
  const auto whole = static_cast<std::size_t>(std::max(choice.length, move.takes) / step);
  const std::size_t inside = std::min(end_, curve.size() - std::min(curve.size(), whole + 1));
  if (inside > first_) {
    const bool moves = move.takes > Duration::zero();
    const double kilowatts = moves ? choice.kilowatts : 1;
    AddLengths(curve, kilowatts, choice.length, inside);
    if (price.rent()) AddLengths(*price.rent(), kilowatts * price.factor(), choice.length, inside);
    AddLowest(inside);
    if (moves) {
      AddLengths(curve, move.kilowatts_here - choice.kilowatts, move.takes, inside);
      if (move.curve_from >= 0)
        AddLengths(input.curves[static_cast<std::size_t>(move.curve_from)], move.kilowatts_from,
                   move.takes, inside);
      AddLowest(inside);
    }
  }
  for (std::size_t i = std::max(first_, inside); i < end_; ++i) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const Duration back : {Duration::zero(), choice.length % step, move.takes % step})
      for (const Time edge : {curve.EdgeAt(i), curve.EdgeAt(i + 1)})
        lowest = std::min(lowest,
                          WindowPrice(input, choice, price, std::max(curve.begin(), edge - back)));
    floors_[i] = lowest;
  }
  const auto [low, high] =
      std::minmax_element(floors_.begin() + static_cast<std::ptrdiff_t>(first_),
                          floors_.begin() + static_cast<std::ptrdiff_t>(end_));
  lowest_ = *low;
  highest_ = *high;
}

// Adds price x hours of the windows that begin on each edge up to that of step `last`, and of those
// that begin within a step and end on an edge.
void WindowFloors::AddLengths(const PriceCurve& curve, double factor, Duration length,
                              std::size_t last) {
  const auto whole = static_cast<std::size_t>(length / curve.step());
  const double rest = Hours(length % curve.step());
  const double *price = curve.prices().data(), *sum = curve.sums().data();
  double* __restrict on_begin = on_begin_.data();
  double* __restrict on_end = on_end_.data();
  for (std::size_t i = first_; i < last; ++i) {
    on_begin[i] += factor * (sum[i + whole] - sum[i] + rest * price[i + whole]);
    on_end[i] += factor * (sum[i + whole + 1] - sum[i + 1] + rest * price[i]);
  }
  on_begin[last] += factor * (sum[last + whole] - sum[last] + rest * price[last + whole]);
}

// Adds the least of each step to its floor, and forgets the sums.
void WindowFloors::AddLowest(std::size_t last) {
  double* __restrict floors = floors_.data();
  double* __restrict on_begin = on_begin_.data();
  double* __restrict on_end = on_end_.data();
  for (std::size_t i = first_; i < last; ++i)
    floors[i] += std::min(std::min(on_begin[i], on_begin[i + 1]), on_end[i]);
  std::fill(on_begin + first_, on_begin + last + 1, 0.0);
  std::fill(on_end + first_, on_end + last + 1, 0.0);
}

}  // namespace ebb::plan
