#include "plan/planner/placement_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ebb::plan {
namespace {

constexpr double kRounding = 1e-9;
constexpr std::int64_t kFloorsPerPlace = 8;

// Calls `visit(first, end)` for every stretch of time from `earliest` on with enough free devices,
// until it returns false. A stretch that goes on beyond `enough` may be cut there.
template <typename Visit>
void ForEachRoom(const CapacityProfile& profile, int width, Time earliest, Time enough, Work& work,
                 Visit visit) {
  const auto& pieces = profile.pieces();
  std::optional<Time> open;
  for (std::size_t i = profile.PieceAt(earliest); i < pieces.size(); ++i) {
    ++work.done;
    if (pieces[i].free < width) continue;
    if (!open) open = std::max(pieces[i].begin, earliest);
    if (i + 1 < pieces.size() && pieces[i + 1].free >= width && pieces[i + 1].begin < enough)
      continue;
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

  /// True if a begin at `begin` or later, at a price of `floor` or more, may be the best.
  bool MayGain(double floor, Time begin) const {
    if (!found_) return true;
    const double rounding = kRounding * std::abs(price_);
    return floor < price_ - rounding || (floor <= price_ + rounding && begin < begin_);
  }

  bool found() const { return found_; }
  Time begin() const { return begin_; }
  double price() const { return price_; }
  std::int64_t visited() const { return visited_; }

 private:
  bool moves() const { return choice_.move.takes > Duration::zero(); }

  // The begin at which something of this length ends on an edge, with begins on the grid.
  void AddBefore(Duration length) {
    const Duration back = input_.GridCeil(Time{length}).time_since_epoch() % curve_.step();
    if (back > Duration::zero()) before_[count_++] = {back, choice_, curve_.step()};
  }

  double PriceAt(Time begin) const { return WindowPrice(input_, choice_, curve_, begin); }

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
    if (!MayGain(price, begin)) return;
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

// The range of begins on a choice that keep the deadline; the end is the last begin.
Interval BeginsOn(const PlanInput& input, const Choice& choice, Interval allowed) {
  return {allowed.begin, std::min({std::min(choice.latest_end, allowed.end) - choice.length,
                                   choice.begin_by, input.CurveOf(choice).end()})};
}

// Finds the cheapest window on one choice.
class ChoiceSearch {
 public:
  ChoiceSearch(const Draft& draft, std::size_t task, const Choice& choice, Interval begins,
               Work& work)
      : draft_(draft),
        input_(draft.input()),
        task_(input_.tasks[task]),
        choice_(choice),
        profile_(draft.ProfileOf(choice.pool)),
        begins_(begins),
        scan_(input_, task_, choice, draft.starts()),
        work_(work) {}

  /// May return no window or any other if none costs less than `to_beat`.
  std::optional<Time> Run(const Cost& to_beat) {
    if (begins_.end < begins_.begin) return std::nullopt;
    // A small queue has few rooms and many steps.
    if (input_.grid > Duration{1})
      ScanByFloors(LimitOf(to_beat));
    else
      ScanRooms(begins_, Time::max());
    work_.done += scan_.visited();
    if (!scan_.found()) return std::nullopt;
    return scan_.begin();
  }

 private:
  // The price to beat, in units of WindowPrice.
  double LimitOf(const Cost& to_beat) const {
    const double kilowatts = choice_.move.takes > Duration::zero() ? 1 : choice_.kilowatts;
    if (to_beat.late > 0 || kilowatts * task_.weight <= 0)
      return std::numeric_limits<double>::infinity();
    const double price = to_beat.price / (kilowatts * task_.weight);
    return price + kRounding * std::abs(price);
  }

  // Scans the steps with room, the one with the lowest floor first, until no other may be better.
  void ScanByFloors(double limit) {
    const PriceCurve& curve = input_.CurveOf(choice_);
    work_.floors.Fill(input_, task_, choice_, begins_,
                      draft_.LongestRooms(choice_.pool, choice_.width));
    work_.done += static_cast<std::int64_t>(work_.floors.size()) / kFloorsPerPlace;
    RowToTakeFrom& floors = work_.floors.floors();
    for (;;) {
      const std::size_t step = floors.Lowest();
      const double floor = floors[step];
      if (!(floor < limit) || !scan_.MayGain(floor, Time::min())) return;
      if (scan_.MayGain(floor, curve.EdgeAt(step))) {
        ScanStep(step);
        floors.Take(step);
      } else {
        floors.TakeFrom(step);  // only an earlier begin may be better
      }
    }
  }

  void ScanStep(std::size_t step) {
    const PriceCurve& curve = input_.CurveOf(choice_);
    const Time last = std::min(begins_.end, curve.EdgeAt(step + 1));
    ScanRooms({std::max(begins_.begin, curve.EdgeAt(step)), last}, last + choice_.length);
  }

  void ScanRooms(Interval begins, Time enough) {
    ForEachRoom(profile_, choice_.width, begins.begin, enough, work_, [&](Time first, Time end) {
      if (first > begins.end) return false;
      const Time last = std::min(begins.end, end - choice_.length);
      if (last >= first) scan_.ScanBegins(first, std::max(first, input_.GridFloor(last)));
      return true;
    });
  }

  const Draft& draft_;
  const PlanInput& input_;
  const Task& task_;
  const Choice& choice_;
  const CapacityProfile& profile_;
  Interval begins_;
  WindowScan scan_;
  Work& work_;
};

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
  ForEachRoom(draft.ProfileOf(choice.pool), choice.width, earliest, Time::max(), work,
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

Placement CheapestWindow(const Draft& draft, std::size_t task, Interval allowed, Work& work,
                         const Cost& to_beat) {
  const Task& owner = draft.input().tasks[task];
  Placement best;
  const auto keep_better = [&](Placement candidate) {
    if (Lower(candidate.cost, to_beat)) KeepBetter(std::move(candidate), best);
  };
  for (std::size_t i = 0; i < owner.choices.size(); ++i) {
    const Choice& choice = owner.choices[i];
    if (owner.elastic && choice.width > work.widest) continue;
    const Interval begins = BeginsOn(draft.input(), choice, allowed);
    const Cost& lowest = best.choice < 0 ? to_beat : best.cost;
    if (const auto begin = ChoiceSearch(draft, task, choice, begins, work).Run(lowest))
      keep_better(InOnePiece(draft, task, i, *begin));
  }
  const Time now = draft.input().now;
  if (allowed.begin == now && now + owner.continued_length <= allowed.end &&
      CanContinue(draft, task)) {
    Placement goes_on = InOnePiece(draft, task, 0, now);
    if (goes_on.cost.late == 0) keep_better(std::move(goes_on));
  }
  return best;
}

}  // namespace ebb::plan
