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
                        Interval begins, const std::vector<double>& rooms) {
  const PriceCurve& curve = input.CurveOf(choice);
  const auto step_of = [&](Time time) {
    return static_cast<std::size_t>(std::max(time - curve.begin(), Duration::zero()) /
                                    curve.step());
  };
  first_ = step_of(begins.begin);
  end_ = step_of(begins.end) + 1;
  // Windows that begin later would end after the last step.
  const Duration longest = std::max(choice.length, choice.move.takes);
  const std::size_t whole = static_cast<std::size_t>(longest / curve.step()) + 1;
  const std::size_t inside = std::min(end_, curve.size() - std::min(curve.size(), whole));
  floors_.Reset(end_);
  double* floors = floors_.data();
  std::fill(floors + first_, floors + end_, 0.0);
  if (inside > first_) AddAll(input, task, choice, inside);
  const auto length = static_cast<double>(choice.length.count());
  for (std::size_t i = first_; i < end_; ++i)
    floors[i] = rooms[i] < length ? RowToTakeFrom::kNone : floors[i];
  FillTail(input, task, choice, std::max(first_, inside));
  floors_.FindBlocks();
}

// Adds running and, if there is one, the move, up to step `last`.
void WindowFloors::AddAll(const PlanInput& input, const Task& task, const Choice& choice,
                          std::size_t last) {
  const PriceCurve& curve = input.CurveOf(choice);
  const RunPrice price = input.PriceOf(task, choice);
  const ChoiceMove& move = choice.move;
  const double kilowatts = move.takes > Duration::zero() ? choice.kilowatts : 1;
  AddWindows({curve, kilowatts, price.rent(), kilowatts * price.factor()}, choice.length, last);
  if (move.takes == Duration::zero()) return;
  const PriceCurve* from =
      move.curve_from < 0 ? nullptr : &input.curves[static_cast<std::size_t>(move.curve_from)];
  AddWindows({curve, move.kilowatts_here - choice.kilowatts, from, move.kilowatts_from}, move.takes,
             last);
}

// Adds the least price of the windows that begin in each step up to step `last`.
void WindowFloors::AddWindows(const Prices& prices, Duration length, std::size_t last) {
  const Duration step = prices.curve.step();
  const auto whole = static_cast<std::size_t>(length / step);
  on_begin_.resize(std::max(on_begin_.size(), last + 1));
  if (whole == 0) {
    Weigh(prices, &PriceCurve::prices, Hours(length), last + 1, on_begin_);
    return AddOnEdges(last);
  }
  const double* sums = prices.curve.sums().data();
  if (prices.other || prices.factor != 1) {
    Weigh(prices, &PriceCurve::sums, 1, last + whole + 2, weighed_);
    sums = weighed_.data();
  }
  AddLong(sums, whole, Hours(length % step) / Hours(step), last);
}

// Fills a row with the prices or the sums of both curves together.
void WindowFloors::Weigh(const Prices& prices,
                         const std::vector<double>& (PriceCurve::*row)() const, double by,
                         std::size_t end, std::vector<double>& weighed) const {
  weighed.resize(std::max(weighed.size(), end));
  const double factor = by * prices.factor, of_other = by * prices.factor_of_other;
  const double* values = (prices.curve.*row)().data();
  double* __restrict to = weighed.data();
  if (!prices.other) {
    for (std::size_t i = first_; i < end; ++i) to[i] = factor * values[i];
    return;
  }
  const double* others = (prices.other->*row)().data();
  for (std::size_t i = first_; i < end; ++i) to[i] = factor * values[i] + of_other * others[i];
}

// Adds the least of the windows that begin on the edges of each step. A window that is shorter than
// a step costs no less if it ends on an edge.
void WindowFloors::AddOnEdges(std::size_t last) {
  const double* __restrict on_begin = on_begin_.data();
  double* __restrict floors = floors_.data();
  for (std::size_t i = first_; i < last; ++i) floors[i] += std::min(on_begin[i], on_begin[i + 1]);
}

// Adds the least of the windows that begin on the edges of each step, and of that which begins in
// the step and ends on an edge. They take `whole` steps and a part of one.
void WindowFloors::AddLong(const double* sums, std::size_t whole, double part, std::size_t last) {
  const double* ends = sums + whole;
  double* __restrict on_begin = on_begin_.data();
  double* __restrict floors = floors_.data();
  for (std::size_t i = first_; i <= last; ++i)
    on_begin[i] = (ends[i] - sums[i]) + part * (ends[i + 1] - ends[i]);
  for (std::size_t i = first_; i < last; ++i) {
    const double on_end = (ends[i + 1] - sums[i + 1]) + part * (sums[i + 1] - sums[i]);
    floors[i] += std::min(std::min(on_begin[i], on_begin[i + 1]), on_end);
  }
}

// Fills the floors from step `from` on, as far as they have room, one by one.
void WindowFloors::FillTail(const PlanInput& input, const Task& task, const Choice& choice,
                            std::size_t from) {
  const PriceCurve& curve = input.CurveOf(choice);
  const RunPrice price = input.PriceOf(task, choice);
  const Duration step = curve.step();
  double* floors = floors_.data();
  for (std::size_t i = from; i < end_; ++i) {
    if (floors[i] == RowToTakeFrom::kNone) continue;
    floors[i] = RowToTakeFrom::kNone;
    for (const Duration back : {Duration::zero(), choice.length % step, choice.move.takes % step})
      for (const Time edge : {curve.EdgeAt(i), curve.EdgeAt(i + 1)})
        floors[i] = std::min(
            floors[i], WindowPrice(input, choice, price, std::max(curve.begin(), edge - back)));
  }
}

}  // namespace ebb::plan
