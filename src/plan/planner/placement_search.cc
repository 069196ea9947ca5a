#include "plan/planner/placement_search.h"

#include <algorithm>
#include <limits>

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

// Finds the begin with the lowest integral over a window of one length, room by room.
class WindowScan {
 public:
  WindowScan(const RunPrice& curve, Duration length, Duration held, const StartLog& starts,
             double watts)
      : curve_(curve), length_(length), starts_(starts), watts_(watts) {
    const Duration step = curve.step();
    from_begin_ = Offset(length, step);
    back_ = held % step;
    from_back_ = Offset(length - back_, step);
  }

  void ScanBegins(Time low, Time high) {
    Consider(low, curve_.Integral(low, low + length_));
    if (high <= low) return;
    if (starts_.limited())
      for (const Time eased : starts_.Eased({low, high}))
        Consider(eased, curve_.Integral(eased, eased + length_));
    const Time last_edge = curve_.end();
    auto i = static_cast<std::size_t>((low - curve_.begin()) / curve_.step()) + 1;
    for (; i <= curve_.size(); ++i) {
      const Time edge = curve_.EdgeAt(i);
      ++visited_;
      if (back_ > Duration::zero()) {
        const Time begin = edge - back_;
        if (begin >= high) break;
        if (begin > low)
          Consider(begin, SumFrom(i, from_back_) + curve_.PriceOf(i - 1) * Hours(back_) -
                              curve_.SumBefore(i));
      }
      if (edge >= high || edge >= last_edge) break;
      Consider(edge, SumFrom(i, from_begin_) - curve_.SumBefore(i));
    }
    Consider(high, curve_.Integral(high, high + length_));
  }

  bool found() const { return found_; }
  Time begin() const { return begin_; }
  double integral() const { return integral_; }
  std::int64_t visited() const { return visited_; }

 private:
  struct StepOffset {
    Duration length;
    std::size_t steps;
    double hours;
  };

  static StepOffset Offset(Duration length, Duration step) {
    return {length, static_cast<std::size_t>(std::max(length, Duration::zero()) / step),
            Hours(std::max(length, Duration::zero()) % step)};
  }

  // The curve's sum up to `offset` after edge i.
  double SumFrom(std::size_t i, const StepOffset& offset) const {
    const std::size_t index = i + offset.steps;
    if (index < curve_.size() && offset.length >= Duration::zero())
      return curve_.SumBefore(index) + curve_.PriceOf(index) * offset.hours;
    const Time edge = curve_.EdgeAt(i);
    return curve_.SumBefore(i) + (offset.length >= Duration::zero()
                                      ? curve_.Integral(edge, edge + offset.length)
                                      : -curve_.Integral(edge + offset.length, edge));
  }

  void Consider(Time begin, double integral) {
    if (found_ && integral >= integral_ - kRounding * std::abs(integral_)) return;
    if (!starts_.Allows(begin, watts_)) return;
    found_ = true;
    begin_ = begin;
    integral_ = integral;
  }

  const RunPrice& curve_;
  Duration length_;
  const StartLog& starts_;
  double watts_;
  StepOffset from_begin_{}, from_back_{};
  Duration back_{};
  bool found_ = false;
  Time begin_{};
  double integral_ = 0;
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
  const RunPrice curve = input.PriceOf(input.tasks[task], choice);
  const Time latest =
      std::min(std::min(choice.latest_end, allowed.end) - choice.length, curve.end());
  const Duration held = input.GridCeil(Time{choice.length}).time_since_epoch();
  WindowScan scan(curve, choice.length, held, draft.starts(), choice.watts);
  ForEachRoom(draft.ProfileOf(choice.pool), input.tasks[task].width, allowed.begin, work,
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
      .HasFree(draft.input().Held({now, now + owner.continued_length}), owner.width);
}

// The first moment at which the task fits on the choice in one piece; nullopt if the pool has
// become too small for it.
std::optional<Time> EarliestFit(const Draft& draft, std::size_t task, const Choice& choice,
                                Time earliest, const StartLog& starts) {
  std::optional<Time> found;
  Work work;
  ForEachRoom(draft.ProfileOf(choice.pool), draft.input().tasks[task].width, earliest, work,
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
    const auto begin = EarliestFit(draft, task, owner.choices[i], earliest, starts);
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
