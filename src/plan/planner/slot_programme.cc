#include "plan/planner/slot_programme.h"

#include <algorithm>

namespace ebb::plan {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

int CeilDiv(Duration time, Duration slot) {
  if (time <= Duration::zero()) return 0;
  return static_cast<int>((time + slot - Duration{1}) / slot);
}

void Keep(SplitTables::Cell& cell, SplitTables::Cell candidate) {
  if (candidate.cost < cell.cost) cell = candidate;
}

}  // namespace

SlotProgramme::SlotProgramme(const SlotQuestion& question, const RunPrice& curve,
                             const CapacityProfile& profile, int width, SplitTables& tables)
    : q_(question), tables_(tables) {
  for (int m = 0; m <= kMostResumes; ++m)
    needed_[static_cast<std::size_t>(m)] = CeilDiv(q_.length + q_.resume_cost * m, q_.slot);
  layers_ = needed_[kMostResumes] + 1;
  slots_ = std::max(0, CeilDiv(q_.latest_end - q_.first, q_.slot));
  piece_ = std::max(1, CeilDiv(q_.shortest, q_.slot));
  first_ = std::max(1, CeilDiv(q_.move + q_.shortest, q_.slot));
  FillSlots(curve, profile, width);
}

double SlotProgramme::Floor() {
  auto& free = tables_.cheapest;
  free.clear();
  for (std::size_t t = 0; t < static_cast<std::size_t>(slots_); ++t)
    if (tables_.blocked[t + 1] == tables_.blocked[t]) free.push_back(tables_.rates[t]);
  const Duration length = q_.length + q_.resume_cost;
  const auto count = static_cast<std::size_t>(length / q_.slot);
  if (count >= free.size()) return 0;
  std::nth_element(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(count), free.end());
  double floor = free[count] * Hours(length % q_.slot);
  for (std::size_t i = 0; i < count; ++i) floor += free[i] * Hours(q_.slot);
  if (HasMove()) floor += *std::min_element(tables_.moves.begin(), tables_.moves.end());
  return floor;
}

bool SlotProgramme::Solve() {
  if (slots_ == 0) return false;
  tables_.on.assign(static_cast<std::size_t>(size()), {});
  tables_.off.assign(static_cast<std::size_t>(size()), {});
  Begin();
  for (int t = 0; t <= slots_; ++t) Advance(t);
  return best_.cost < kInfinite;
}

void SlotProgramme::FillSlots(const RunPrice& curve, const CapacityProfile& profile, int width) {
  tables_.sums.assign(static_cast<std::size_t>(slots_) + 1, 0);
  tables_.blocked.assign(static_cast<std::size_t>(slots_) + 1, 0);
  tables_.rates.assign(static_cast<std::size_t>(slots_) + 1, 0);
  std::size_t piece = profile.PieceAt(q_.first);
  for (int t = 0; t < slots_; ++t) {
    const auto i = static_cast<std::size_t>(t);
    const double price = curve.Integral(Edge(t), Edge(t + 1));
    tables_.sums[i + 1] = tables_.sums[i] + price;
    tables_.rates[i] = price / Hours(q_.slot);
    while (profile.EndOf(piece) <= Edge(t)) ++piece;
    bool blocked = profile.pieces()[piece].free < width;
    for (std::size_t p = piece; !blocked && profile.EndOf(p) < Edge(t + 1); ++p)
      blocked = profile.pieces()[p + 1].free < width;
    tables_.blocked[i + 1] = tables_.blocked[i] + (blocked ? 1 : 0);
  }
}

bool SlotProgramme::IsFree(int from, int to) const {
  return to <= slots_ && tables_.blocked[static_cast<std::size_t>(to)] ==
                             tables_.blocked[static_cast<std::size_t>(from)];
}

double SlotProgramme::Price(int from, int to) const {
  return tables_.sums[static_cast<std::size_t>(to)] - tables_.sums[static_cast<std::size_t>(from)];
}

void SlotProgramme::Begin() {
  if (!q_.runs) {
    tables_.off[At(0, 0, 0)].cost = 0;
    return;
  }
  const int owed = CeilDiv(q_.owed, q_.slot);
  if (owed < needed_[0] && owed <= slots_ && IsFree(0, owed))
    tables_.on[At(owed, owed, 0)] = {Price(0, owed), kRanBefore};
}

void SlotProgramme::Advance(int t) {
  for (int n = 0; n < layers_; ++n) {
    for (int m = 0; m <= kMostResumes; ++m) {
      Cell& off = tables_.off[At(t, n, m)];
      const double on = tables_.on[At(t, n, m)].cost;
      if (on < off.cost) off = {on, kStops};
      if (t == slots_) continue;
      if (on < kInfinite && IsFree(t, t + 1)) Run({t, n, m}, 1, m, on, kGoesOn);
      if (off.cost == kInfinite) continue;
      Keep(tables_.off[At(t + 1, n, m)], {off.cost, kWaits});
      StartFrom({t, n, m}, off.cost);
    }
  }
}

// A start counts as a resume, with its cost, if the job ran before.
void SlotProgramme::StartFrom(State off, double cost) {
  if (off.n == 0 && !q_.runs) {
    if (!IsFree(off.t, off.t + first_)) return;
    if (HasMove()) cost += tables_.moves[static_cast<std::size_t>(off.t)];
    return Run(off, first_, off.m, cost, kFirst);
  }
  if (off.m < kMostResumes && IsFree(off.t, off.t + piece_))
    Run(off, piece_, off.m + 1, cost, kStarts);
}

void SlotProgramme::Run(State from, int slots, int resumes, double cost, std::uint8_t way) {
  const State to{from.t + slots, from.n + slots, resumes};
  const int needed = needed_[static_cast<std::size_t>(resumes)];
  if (to.n > needed) return;
  const double total = cost + Price(from.t, to.t);
  if (to.n < needed)
    Keep(tables_.on[At(to.t, to.n, to.m)], {total, way});
  else
    Finish(to, total, way);
}

// The job runs in the last slot only as long as there is work.
void SlotProgramme::Finish(State end, double total, std::uint8_t way) {
  const Duration spare = q_.slot * end.n - q_.length - q_.resume_cost * end.m;
  if (Edge(end.t) - spare > q_.latest_end) return;
  if (way == kStarts && end.n > piece_ && q_.slot * piece_ - spare < q_.shortest) return;
  const double cost = total - tables_.rates[static_cast<std::size_t>(end.t - 1)] * Hours(spare);
  if (cost < best_.cost - 1e-12 * best_.cost || best_.cost == kInfinite) best_ = {cost, end, way};
}

std::vector<Interval> SlotProgramme::Pieces() const {
  std::vector<Interval> pieces;
  State at = best_.state;
  const Duration spare = q_.slot * at.n - q_.length - q_.resume_cost * at.m;
  Time end = Edge(at.t) - spare;
  for (std::uint8_t way = best_.way;;) {
    if (way == kGoesOn) {
      --at.t, --at.n;
    } else if (way == kFirst) {
      pieces.push_back({Edge(at.t - first_), end});
      break;
    } else if (way == kStarts) {
      at.t -= piece_;
      at.n -= piece_;
      pieces.push_back({Edge(at.t), end});
      --at.m;
      while (at.t > 0 && tables_.off[At(at.t, at.n, at.m)].from == kWaits) --at.t;
      if (tables_.off[At(at.t, at.n, at.m)].from == kWaits) break;
      end = Edge(at.t);
    } else {
      pieces.push_back({q_.first, end});
      break;
    }
    way = tables_.on[At(at.t, at.n, at.m)].from;
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace ebb::plan
