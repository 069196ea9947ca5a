#include "plan/problem/draft.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ebb::plan {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kHoursPerLateJob = 1e6;
constexpr double kSoftDeadline = 1e-6;

// Takes all free devices of the profile before `opens`.
void CloseUntil(Time opens, CapacityProfile& profile) {
  const std::vector<CapacityProfile::Piece> pieces = profile.pieces();
  for (std::size_t i = 0; i < pieces.size() && pieces[i].begin < opens; ++i) {
    const Time end = i + 1 < pieces.size() ? std::min(pieces[i + 1].begin, opens) : opens;
    if (pieces[i].free > 0) profile.Take({pieces[i].begin, end}, pieces[i].free);
  }
}

}  // namespace

bool Lower(const Cost& left, const Cost& right) {
  if (std::abs(left.late - right.late) > kRounding * (1e-3 + right.late))
    return left.late < right.late;
  return left.price < right.price - kRounding * std::abs(right.price);
}

Time PlanInput::GridFloor(Time time) const {
  const auto since = time.time_since_epoch();
  return time - since % grid;
}

Time PlanInput::GridCeil(Time time) const {
  const Time floor = GridFloor(time);
  return floor == time ? time : floor + grid;
}

double PlanInput::MovePrice(const Choice& choice, const ChoiceMove& move, const PriceCurve& here,
                            Time begin) const {
  if (move.takes == Duration::zero()) return 0;
  const Time end = begin + move.takes;
  double price = (move.kilowatts_here - choice.kilowatts) * here.Integral(begin, end);
  if (move.curve_from >= 0)
    price += move.kilowatts_from *
             curves[static_cast<std::size_t>(move.curve_from)].Integral(begin, end);
  return price;
}

Cost PlanInput::CostOf(const Task& task, const Choice& choice,
                       const std::vector<Interval>& pieces) const {
  Cost cost;
  const RunPrice price = PriceOf(task, choice);
  for (const Interval& piece : pieces)
    cost.price += task.weight * choice.kilowatts * price.Integral(piece.begin, piece.end);
  cost.price += task.weight * MovePrice(choice, CurveOf(choice), pieces.front().begin);
  AddLateness(task, choice, choice, pieces, cost);
  if (Leaves(task, choice)) AddLeaving(task, true, cost);
  return cost;
}

bool PlanInput::Leaves(const Task& task, const Choice& choice) const {
  const Choice& here = task.choices.front();
  if (!task.continues || choice.pool == here.pool || !cluster) return false;
  const auto site_of = [&](int pool) {
    return cluster->pools[static_cast<std::size_t>(pool)].site;
  };
  return site_of(choice.pool) != site_of(here.pool);
}

// Leaving has a price, whenever it is, and leaving at once is as bad as being late if the task may
// not yet. The price is that which a move must save at least of running on where the task is, so
// that the engine makes the move too.
void PlanInput::AddLeaving(const Task& task, bool at_once, Cost& cost) const {
  const Choice& here = task.choices.front();
  cost.price += move_saves * task.weight * here.kilowatts *
                CurveOf(here).Integral(now, now + task.continued_length);
  if (at_once && !task.may_leave) cost.late += kHoursPerLateJob;
}

bool PlanInput::MayMove(const Task& task) const {
  if (!task.CanSplit() || !cluster || grid > Duration{1}) return false;
  const auto site_of = [&](const Choice& choice) {
    return cluster->pools[static_cast<std::size_t>(choice.pool)].site;
  };
  return std::ranges::any_of(task.choices, [&](const Choice& choice) {
    return site_of(choice) != site_of(task.choices.front());
  });
}

ChoiceMove PlanInput::MoveBetween(const Task& task, const Choice& from, const Choice& to) const {
  if (from.pool == to.pool || !cluster) return {};
  const int site = cluster->pools[static_cast<std::size_t>(from.pool)].site;
  return MoveOn(*task.view->job, *cluster, site, to.pool, to.width);
}

ChoiceMove PlanInput::MoveOf(const Task& task, const Placement& placement,
                             std::size_t piece) const {
  const Choice& choice = task.choices[placement.ChoiceOf(piece)];
  if (piece == 0) return choice.move;
  return MoveBetween(task, task.choices[placement.ChoiceOf(piece - 1)], choice);
}

Cost PlanInput::CostOf(const Task& task, const Placement& placement) const {
  const Choice& first = task.choices[placement.ChoiceOf(0)];
  if (placement.choices.empty()) return CostOf(task, first, placement.pieces);
  Cost cost;
  for (std::size_t i = 0; i < placement.pieces.size(); ++i) {
    const Choice& choice = task.choices[placement.ChoiceOf(i)];
    const Interval& piece = placement.pieces[i];
    cost.price +=
        task.weight * (choice.kilowatts * PriceOf(task, choice).Integral(piece.begin, piece.end) +
                       MovePrice(choice, MoveOf(task, placement, i), CurveOf(choice), piece.begin));
  }
  const Choice& last = task.choices[placement.ChoiceOf(placement.pieces.size() - 1)];
  AddLateness(task, first, last, placement.pieces, cost);
  for (std::size_t i = 0; i < placement.pieces.size(); ++i)
    if (const Choice& choice = task.choices[placement.ChoiceOf(i)]; Leaves(task, choice)) {
      AddLeaving(task, i == 0, cost);
      break;
    }
  return cost;
}

void PlanInput::AddLateness(const Task& task, const Choice& first, const Choice& last,
                            const std::vector<Interval>& pieces, Cost& cost) const {
  if (pieces.back().end > last.latest_end) {
    cost.late = kHoursPerLateJob + Hours(pieces.back().end - last.latest_end);
    if (task.deadline_is_soft) cost.late *= kSoftDeadline;
  } else if (pieces.front().begin > first.begin_by) {
    cost.late = kHoursPerLateJob + Hours(pieces.front().begin - first.begin_by);
  }
  // Pausing a piece that is still too short is as bad as being late. Another width is a pause.
  const bool goes_on =
      pieces.front().begin == now && (!task.elastic || &first == &task.choices.front());
  const Time begun_end = goes_on ? pieces.front().end : now;
  if (task.continues && begun_end < std::min(task.committed_until, now + task.continued_length))
    cost.late += kHoursPerLateJob;
}

bool PlanInput::GoesOn(const Task& task, const Placement& placement) const {
  return task.fixed || (task.continues && placement.choice == 0 && placement.begin() == now);
}

Draft::Draft(const PlanInput& input)
    : input_(&input), starts_(input.ramp_watts), placements_(input.tasks.size()) {
  for (const Task& task : input.tasks)
    if (task.view->state == JobState::kRunning)
      starts_.Add(task.view->segment_begin, task.choices[0].watts);
  for (const int count : input.devices_in_pool) profiles_.emplace_back(input.now, count);
  if (!input.curves.empty()) {
    const PriceCurve& curve = input.curves.front();
    rooms_.assign(profiles_.size(), {curve.begin(), curve.step(), curve.size()});
  }
  for (std::size_t i = 0; i < input.tasks.size(); ++i) {
    const Task& task = input.tasks[i];
    if (!task.fixed) continue;
    Placement placement{0, {{input.now, input.now + task.continued_length}}, {}};
    placement.cost = input.CostOf(task, task.choices[0], placement.pieces);
    Place(i, std::move(placement));
  }
  for (CapacityProfile& profile : profiles_) CloseUntil(input.opens, profile);
}

void Draft::Take(std::size_t task, const Placement& placement, int sign) {
  const Task& owner = input_->tasks[task];
  for (std::size_t i = 0; i < placement.pieces.size(); ++i) {
    const Choice& choice = owner.choices[placement.ChoiceOf(i)];
    const auto pool = static_cast<std::size_t>(choice.pool);
    const Interval held = input_->Held(placement.pieces[i]);
    profiles_[pool].Take(held, sign * choice.width);
    if (!rooms_.empty()) rooms_[pool].Update(profiles_[pool], held);
  }
  if (starts_.limited()) LogStarts(task, placement, sign > 0);
}

void Draft::LogStarts(std::size_t task, const Placement& placement, bool add) {
  const Task& owner = input_->tasks[task];
  for (std::size_t i = input_->GoesOn(owner, placement) ? 1 : 0; i < placement.pieces.size(); ++i) {
    const double watts = owner.choices[placement.ChoiceOf(i)].watts;
    if (add)
      starts_.Add(placement.pieces[i].begin, watts);
    else
      starts_.Remove(placement.pieces[i].begin, watts);
  }
}

void Draft::Place(std::size_t task, Placement placement) {
  Take(task, placement, 1);
  placements_[task] = std::move(placement);
}

Placement Draft::Remove(std::size_t task) {
  Take(task, placements_[task], -1);
  return std::exchange(placements_[task], Placement{});
}

bool Draft::PlaceAll(std::vector<std::pair<std::size_t, Placement>>& placements) {
  if (starts_.limited()) return false;
  std::vector<std::vector<CapacityProfile::Use>> uses(profiles_.size());
  for (const auto& [index, placement] : placements) {
    const Task& task = input_->tasks[index];
    for (std::size_t i = 0; i < placement.pieces.size(); ++i) {
      const Choice& choice = task.choices[placement.ChoiceOf(i)];
      uses[static_cast<std::size_t>(choice.pool)].push_back(
          {input_->Held(placement.pieces[i]), choice.width});
    }
  }
  std::vector<CapacityProfile> profiles = profiles_;
  for (std::size_t pool = 0; pool < profiles.size(); ++pool)
    if (!profiles[pool].TakeAll(uses[pool])) return false;
  profiles_ = std::move(profiles);
  for (RoomsByStep& rooms : rooms_) rooms.Clear();
  for (auto& [index, placement] : placements) placements_[index] = std::move(placement);
  return true;
}

bool Draft::HasRoom(std::size_t task, const Placement& placement) const {
  const Task& owner = input_->tasks[task];
  const std::size_t first_start = input_->GoesOn(owner, placement) ? 1 : 0;
  for (std::size_t i = 0; i < placement.pieces.size(); ++i) {
    const Choice& choice = owner.choices[placement.ChoiceOf(i)];
    if (i >= first_start && !starts_.Allows(placement.pieces[i].begin, choice.watts)) return false;
    if (!ProfileOf(choice.pool).HasFree(input_->Held(placement.pieces[i]), choice.width))
      return false;
  }
  return true;
}

Cost Draft::Total() const {
  Cost total;
  for (const Placement& placement : placements_) total += placement.cost;
  return total;
}

double Draft::PlainPrice() const {
  double total = 0;
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    if (!IsPlaced(i)) continue;
    const Task& task = input_->tasks[i];
    for (std::size_t p = 0; p < placements_[i].pieces.size(); ++p) {
      const Interval& piece = placements_[i].pieces[p];
      const Choice& choice = task.choices[placements_[i].ChoiceOf(p)];
      const int site = input_->site_of_pool[static_cast<std::size_t>(choice.pool)];
      const PriceCurve& curve = input_->curves[static_cast<std::size_t>(site)];
      total +=
          choice.kilowatts * curve.Integral(piece.begin, piece.end) +
          input_->MovePrice(choice, input_->MoveOf(task, placements_[i], p), curve, piece.begin);
    }
  }
  return total;
}

}  // namespace ebb::plan
