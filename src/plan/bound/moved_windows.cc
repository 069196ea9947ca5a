#include "plan/bound/moved_windows.h"

#include <algorithm>
#include <array>

#include "plan/problem/lowest.h"

namespace ebb::plan {

MovedWindows::Window MovedWindows::Cheapest(const Prices& prices, const BoundChoice& choice,
                                            int width, Time earliest, Time last) {
  curve_ = &prices.here;
  const auto step_at = [&](Time time) {
    return static_cast<std::size_t>(std::max(time - curve_->begin(), Duration::zero()) /
                                    curve_->step());
  };
  Fill(prices, choice, width, std::min(step_at(earliest), curve_->size() - 1),
       step_at(last + choice.length) + 2);
  Window best{CostAt(choice, earliest), earliest};
  if (const double cost = CostAt(choice, last); cost < best.cost) best = {cost, last};
  const Duration step = curve_->step();
  std::array<Duration, 3> backs{Duration::zero(), choice.move.takes % step, choice.length % step};
  std::sort(backs.begin(), backs.end());
  const auto end = std::unique(backs.begin(), backs.end());
  for (auto back = backs.begin(); back != end; ++back)
    ScanBefore(*back, choice, earliest, last, best);
  return best;
}

// Fills the rows in the steps of all windows.
void MovedWindows::Fill(const Prices& prices, const BoundChoice& choice, int width,
                        std::size_t first, std::size_t end) {
  const ChoiceMove& move = choice.move;
  const auto fill = [&](const std::vector<double>& here, const std::vector<double>& rent,
                        const double* from, auto row) {
    const std::size_t size = here.size(), last = std::min(end, size);
    for (Row* one : {&run_, &move_, &both_}) (one->*row).resize(size);
    double* __restrict run = (run_.*row).data();
    double* __restrict moving = (move_.*row).data();
    double* __restrict both = (both_.*row).data();
    const double extra = move.kilowatts_here - choice.kilowatts;
    for (std::size_t i = first; i < last; ++i) {
      run[i] = choice.kilowatts * here[i] + width * rent[i];
      moving[i] = extra * here[i];
    }
    if (from)
      for (std::size_t i = first; i < last; ++i) moving[i] += move.kilowatts_from * from[i];
    for (std::size_t i = first; i < last; ++i) both[i] = run[i] + moving[i];
  };
  fill(prices.here.prices(), prices.rent, prices.from ? prices.from->prices().data() : nullptr,
       &Row::prices);
  fill(prices.here.sums(), prices.rents, prices.from ? prices.from->sums().data() : nullptr,
       &Row::sums);
}

MovedWindows::Offset MovedWindows::OffsetOf(Duration distance) const {
  const Duration step = curve_->step();
  std::ptrdiff_t steps = distance / step;
  if (distance < step * steps) --steps;
  return {steps, Hours(distance - step * steps)};
}

// Time after the last step costs nothing, so that the result stays a lower bound.
double MovedWindows::SumTo(const Row& row, Time time) const {
  const Duration since =
      std::clamp(time - curve_->begin(), Duration::zero(), curve_->end() - curve_->begin());
  const auto step = std::min(static_cast<std::size_t>(since / curve_->step()), curve_->size() - 1);
  return row.sums[step] +
         row.prices[step] * Hours(since - curve_->step() * static_cast<Duration::rep>(step));
}

double MovedWindows::CostAt(const BoundChoice& choice, Time begin) const {
  return SumTo(run_, begin + choice.length) + SumTo(move_, begin + choice.move.takes) -
         SumTo(both_, begin);
}

// The begins that lie `back` before an edge, as far as their windows end within the curve.
void MovedWindows::ScanBefore(Duration back, const BoundChoice& choice, Time earliest, Time last,
                              Window& best) {
  const Offset begin = OffsetOf(-back), moved = OffsetOf(choice.move.takes - back),
               end = OffsetOf(choice.length - back);
  const auto edge_after = [&](Time time) {
    if (time < curve_->begin()) return std::ptrdiff_t{0};
    return std::ptrdiff_t{(time - curve_->begin()) / curve_->step()} + 1;
  };
  const std::ptrdiff_t first = std::max(edge_after(earliest + back), -begin.steps);
  const std::ptrdiff_t limit =
      std::min(edge_after(last + back), std::ssize(run_.prices) - end.steps);
  if (limit <= first) return;
  const auto count = static_cast<std::size_t>(limit - first);
  costs_.resize(std::max(costs_.size(), count));
  double* __restrict costs = costs_.data();
  const auto at = [&](const std::vector<double>& row, const Offset& offset) {
    return row.data() + first + offset.steps;
  };
  const double *run = at(run_.sums, end), *run_price = at(run_.prices, end);
  const double *move = at(move_.sums, moved), *move_price = at(move_.prices, moved);
  const double *both = at(both_.sums, begin), *both_price = at(both_.prices, begin);
  for (std::size_t i = 0; i < count; ++i)
    costs[i] = run[i] + end.hours * run_price[i] + move[i] + moved.hours * move_price[i] - both[i] -
               begin.hours * both_price[i];
  const std::size_t lowest = Lowest(costs, 0, count);
  if (costs[lowest] < best.cost)
    best = {costs[lowest], curve_->EdgeAt(static_cast<std::size_t>(first) + lowest) - back};
}

}  // namespace ebb::plan
