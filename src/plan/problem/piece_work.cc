#include "plan/problem/piece_work.h"

#include <cmath>

namespace ebb::plan {

Duration BeforeWork(const PlanInput& input, const Task& task, const Placement& placement,
                    std::size_t piece) {
  if (piece > 0) return task.view->job->pause_cost + input.MoveOf(task, placement, piece).takes;
  const Choice& first = task.choices[placement.ChoiceOf(0)];
  const bool goes_on =
      task.continues && placement.ChoiceOf(0) == 0 && placement.begin() == input.now;
  return goes_on ? task.continued_length - FullTime(first) : first.before_work;
}

bool FitLastPiece(const PlanInput& input, const Task& task, Placement& placement) {
  double left = 1;
  const std::size_t last = placement.pieces.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const Duration works = placement.pieces[i].length() - BeforeWork(input, task, placement, i);
    const Duration full = FullTime(task.choices[placement.ChoiceOf(i)]);
    left -= std::max(0.0, static_cast<double>(works.count()) / static_cast<double>(full.count()));
  }
  if (left <= 0) return false;
  const auto full = static_cast<double>(FullTime(task.choices[placement.ChoiceOf(last)]).count());
  // A little less than a millisecond of work may be a rounding error of the sum.
  const Duration works{static_cast<Duration::rep>(std::ceil(left * full - 1e-3))};
  Interval& piece = placement.pieces[last];
  piece.end = piece.begin + BeforeWork(input, task, placement, last) + works;
  return true;
}

}  // namespace ebb::plan
