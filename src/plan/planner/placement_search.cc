#include "plan/planner/placement_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ebb::plan {
namespace {

constexpr double kRounding = 1e-9;

// Calls `visit(first, end)` for every stretch of time from `earliest` on with enough free devices,
// until it returns false.
template <typename Visit>
void ForEachRoom(const CapacityProfile& profile, int width, Time earliest, Work& work,
                 Visit visit) {
  const auto& pieces = profile.pieces();
  std::optional<Time> open;
  for (std::size_t i = profile.PieceAt(earliest); i < pieces.size(); ++i) {
    ++work.done;
    if (pieces[i].free < width) continue;
    if (!open) open = std::max(pieces[i].begin, earliest);
    if (i + 1 < pieces.size() && pieces[i + 1].free >= width) continue;
    if (!visit(*open, profile.EndOf(i))) return;
    open.reset();
  }
}

// A distance as whole steps and the hours beyond them.
struct StepOffset {
  StepOffset() = default;
  StepOffset(Duration distance, Duration step)
      : length(distance),
        steps(static_cast<std::size_t>(std::max(distance, Duration::zero()) / step)),
        hours(Hours(std::max(distance, Duration::zero()) % step)) {}
  Duration length{};
  std::size_t steps = 0;
  double hours = 0;
};

// The curve's sum up to `offset` after edge i.
template <typename Curve>
double SumFrom(const Curve& curve, std::size_t i, const StepOffset& offset) {
  const std::size_t index = i + offset.steps;
  if (index < curve.size() && offset.length >= Duration::zero())
    return curve.SumBefore(index) + curve.PriceOf(index) * offset.hours;
  const Time edge = curve.EdgeAt(i);
  return curve.SumBefore(i) + (offset.length >= Duration::zero()
                                   ? curve.Integral(edge, edge + offset.length)
                                   : -curve.Integral(edge + offset.length, edge));
}

// A begin that lies a distance before an edge, so that something that begins then ends on the edge.
struct BeforeEdge {
  BeforeEdge() = default;
  BeforeEdge(Duration distance, const Choice& choice, Duration step)
      : back(distance),
        hours(Hours(distance)),
        to_end(choice.length - distance, step),
        to_run(choice.move.takes - distance, step) {}
  Duration back{};
  double hours = 0;
  StepOffset to_end, to_run;  ///< distances from the edge to the end and to the end of the move

  /// Price x hours from the begin to `offset` after edge i.
  template <typename Curve>
  double Integral(const Curve& curve, std::size_t i, const StepOffset& offset) const {
    const double before = back > Duration::zero() ? curve.PriceOf(i - 1) * hours : 0;
    return SumFrom(curve, i, offset) + before - curve.SumBefore(i);
  }
};

// Finds the begin with the lowest price for one choice, room by room. The price is piecewise linear
// in the begin, so its minimum lies where the begin, the end or the end of the move is on an edge,
// or at an end of the room.
class WindowScan {
 public:
  WindowScan(const PlanInput& input, const Task& task, const Choice& choice, const StartLog& starts)
      : input_(input),
        choice_(choice),
        curve_(input.PriceOf(task, choice)),
        starts_(starts),
        on_edge_(Duration::zero(), choice, curve_.step()) {
    AddBefore(choice.length);
    if (moves()) AddBefore(choice.move.takes);
    // The farthest from the edge first, so that earlier begins win ties.
    if (count_ == 2 && before_[0].back < before_[1].back) std::swap(before_[0], before_[1]);
  }

  void ScanBegins(Time low, Time high) {
    Consider(low, PriceAt(low));
    if (high <= low) return;
    if (starts_.limited())
      for (const Time eased : starts_.Eased({low, high})) Consider(eased, PriceAt(eased));
    const Time last_edge = curve_.end();
    auto i = static_cast<std::size_t>((low - curve_.begin()) / curve_.step()) + 1;
    for (; i <= curve_.size(); ++i) {
      const Time edge = curve_.EdgeAt(i);
      ++visited_;
      for (std::size_t k = 0; k < count_; ++k) {
        const Time begin = edge - before_[k].back;
        if (begin > low && begin < high) Consider(begin, PriceAt(i, before_[k]));
      }
      if (edge >= high || edge >= last_edge) break;
      Consider(edge, PriceAt(i, on_edge_));
    }
    Consider(high, PriceAt(high));
  }

  bool found() const { return found_; }
  Time begin() const { return begin_; }
  std::int64_t visited() const { return visited_; }

 private:
  bool moves() const { return choice_.move.takes > Duration::zero(); }

  // The begin at which something of this length ends on an edge, with begins on the grid.
  void AddBefore(Duration length) {
    const Duration back = input_.GridCeil(Time{length}).time_since_epoch() % curve_.step();
    if (back > Duration::zero()) before_[count_++] = {back, choice_, curve_.step()};
  }

  // Without a move, the price per kilowatt decides.
  double PriceAt(Time begin) const {
    const double run = curve_.Integral(begin, begin + choice_.length);
    if (!moves()) return run;
    return choice_.kilowatts * run + input_.MovePrice(choice_, input_.CurveOf(choice_), begin);
  }

  double PriceAt(std::size_t i, const BeforeEdge& before) const {
    const double run = before.Integral(curve_, i, before.to_end);
    if (!moves()) return run;
    const ChoiceMove& move = choice_.move;
    double price =
        choice_.kilowatts * run + (move.kilowatts_here - choice_.kilowatts) *
                                      before.Integral(input_.CurveOf(choice_), i, before.to_run);
    if (move.curve_from >= 0)
      price += move.kilowatts_from *
               before.Integral(input_.curves[static_cast<std::size_t>(move.curve_from)], i,
                               before.to_run);
    return price;
  }

  void Consider(Time begin, double price) {
    if (found_ && price >= price_ - kRounding * std::abs(price_)) return;
    if (!starts_.Allows(begin, choice_.watts)) return;
    found_ = true;
    begin_ = begin;
    price_ = price;
  }

  const PlanInput& input_;
  const Choice& choice_;
  const RunPrice curve_;
  const StartLog& starts_;
  BeforeEdge on_edge_;
  std::array<BeforeEdge, 2> before_;
  std::size_t count_ = 0;
  bool found_ = false;
  Time begin_{};
  double price_ = 0;
  std::int64_t visited_ = 0;
};

Placement InOnePiece(const Draft& draft, std::size_t task, std::size_t choice, Time begin) {
  const Task& owner = draft.input().tasks[task];
  const Choice& chosen = owner.choices[choice];
  const bool goes_on = owner.continues && choice == 0 && begin == draft.input().now;
  Placement placement;
  placement.choice = static_cast<int>(choice);
  placement.pieces = {{begin, begin + (goes_on ? owner.continued_length : chosen.length)}};
  placement.cost = draft.input().CostOf(owner, chosen, placement.pieces);
  return placement;
}

// True if `left` is the better placement: lower cost, then earlier.
bool Better(const Placement& left, const Placement& right) {
  if (right.choice < 0) return true;
  if (Lower(left.cost, right.cost)) return true;
  return !Lower(right.cost, left.cost) && left.begin() < right.begin();
}

void KeepBetter(Placement candidate, Placement& best) {
  if (Better(candidate, best)) best = std::move(candidate);
}

// The cheapest window on one choice that keeps the deadline.
std::optional<Time> CheapestBegin(const Draft& draft, std::size_t task, const Choice& choice,
                                  Interval allowed, Work& work) {
  const PlanInput& input = draft.input();
  const Time latest = std::min({std::min(choice.latest_end, allowed.end) - choice.length,
                                choice.begin_by, input.CurveOf(choice).end()});
  WindowScan scan(input, input.tasks[task], choice, draft.starts());
  ForEachRoom(draft.ProfileOf(choice.pool), choice.width, allowed.begin, work,
              [&](Time first, Time end) {
                if (first > latest) return false;
                const Time last = std::min(latest, end - choice.length);
                if (last >= first) scan.ScanBegins(first, std::max(first, input.GridFloor(last)));
                return true;
              });
  work.done += scan.visited();
  if (!scan.found()) return std::nullopt;
  return scan.begin();
}

bool CanContinue(const Draft& draft, std::size_t task) {
  const Task& owner = draft.input().tasks[task];
  if (!owner.continues) return false;
  const Time now = draft.input().now;
  return draft.ProfileOf(owner.choices[0].pool)
      .HasFree(draft.input().Held({now, now + owner.continued_length}), owner.choices[0].width);
}

// The first moment at which the task fits on the choice in one piece; nullopt if the pool has
// become too small for it.
std::optional<Time> EarliestFit(const Draft& draft, const Choice& choice, Time earliest,
                                const StartLog& starts) {
  std::optional<Time> found;
  Work work;
  ForEachRoom(draft.ProfileOf(choice.pool), choice.width, earliest, work,
              [&](Time first, Time end) {
                const Time last = end - choice.length;
                if (last < first) return true;
                if (starts.Allows(first, choice.watts)) found = first;
                if (!found && starts.limited())
                  for (const Time eased : starts.Eased({first, last}))
                    if (!found && starts.Allows(eased, choice.watts)) found = eased;
                return !found;
              });
  return found;
}

Placement EarliestAmong(const Draft& draft, std::size_t task, Time earliest, const StartLog& starts,
                        Work& work) {
  const Task& owner = draft.input().tasks[task];
  Placement first, least_late;
  for (std::size_t i = 0; i < owner.choices.size(); ++i) {
    ++work.done;
    const auto begin = EarliestFit(draft, owner.choices[i], earliest, starts);
    if (!begin) continue;
    Placement candidate = InOnePiece(draft, task, i, *begin);
    if (first.choice < 0 || *begin < first.begin() ||
        (*begin == first.begin() && Lower(candidate.cost, first.cost)))
      first = candidate;
    KeepBetter(std::move(candidate), least_late);
  }
  return first.cost.late > 0 ? least_late : first;
}

}  // namespace

Placement EarliestWindow(const Draft& draft, std::size_t task, Time earliest, Work& work) {
  if (earliest == draft.input().now && CanContinue(draft, task))
    return InOnePiece(draft, task, 0, earliest);
  Placement placement = EarliestAmong(draft, task, earliest, draft.starts(), work);
  if (!draft.starts().limited() || (placement.choice >= 0 && placement.cost.late == 0))
    return placement;
  // A deadline is more important than the limit of the ramp.
  return EarliestAmong(draft, task, earliest, StartLog(), work);
}

Placement CheapestWindow(const Draft& draft, std::size_t task, Interval allowed, Work& work) {
  const Task& owner = draft.input().tasks[task];
  Placement best;
  for (std::size_t i = 0; i < owner.choices.size(); ++i) {
    if (owner.elastic && owner.choices[i].width > work.widest) continue;
    if (const auto begin = CheapestBegin(draft, task, owner.choices[i], allowed, work))
      KeepBetter(InOnePiece(draft, task, i, *begin), best);
  }
  const Time now = draft.input().now;
  if (allowed.begin == now && now + owner.continued_length <= allowed.end &&
      CanContinue(draft, task)) {
    Placement goes_on = InOnePiece(draft, task, 0, now);
    if (goes_on.cost.late == 0) KeepBetter(std::move(goes_on), best);
  }
  return best;
}

}  // namespace ebb::plan
