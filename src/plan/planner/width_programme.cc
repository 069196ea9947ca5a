#include "plan/planner/width_programme.h"

#include <algorithm>
#include <cmath>

namespace ebb::plan {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kDone = 1 - 1e-12;
constexpr double kTie = 1e-6;

int CeilDiv(Duration time, Duration slot) {
  if (time <= Duration::zero()) return 0;
  return static_cast<int>((time + slot - Duration{1}) / slot);
}

}  // namespace

WidthProgramme::WidthProgramme(const WidthQuestion& question, const CapacityProfile& profile,
                               WidthTables& tables)
    : q_(question), tables_(tables), options_(question.options.size()) {
  slots_ = std::max(0, CeilDiv(q_.latest_end - q_.first, q_.slot));
  FillSlots(profile);
}

// The fewest slots that are as long as the shortest piece and in which there is progress.
int WidthProgramme::SlotsFor(Duration shortest, Duration before) const {
  return std::max({1, CeilDiv(shortest, q_.slot), CeilDiv(before + Duration{1}, q_.slot)});
}

WidthProgramme::Cell& WidthProgramme::On(int slot, int bucket, int option) const {
  const auto state = static_cast<std::size_t>(slot) * kBuckets + static_cast<std::size_t>(bucket);
  return tables_.on[state * options_ + static_cast<std::size_t>(option)];
}

WidthProgramme::Cell& WidthProgramme::Off(int slot, int bucket) const {
  return tables_.off[static_cast<std::size_t>(slot) * kBuckets + static_cast<std::size_t>(bucket)];
}

double WidthProgramme::Cost(int option, int from, int to) const {
  const double* row = tables_.costs.data() +
                      static_cast<std::size_t>(option) * (static_cast<std::size_t>(slots_) + 1);
  return row[to] - row[from];
}

bool WidthProgramme::IsFree(int option, int from, int to) const {
  if (to > slots_) return false;
  const int* row = tables_.blocked.data() +
                   static_cast<std::size_t>(option) * (static_cast<std::size_t>(slots_) + 1);
  return row[to] == row[from];
}

double WidthProgramme::WorkIn(int option, Duration time) const {
  return static_cast<double>(time.count()) /
         static_cast<double>(q_.options[static_cast<std::size_t>(option)].full.count());
}

int WidthProgramme::BucketOf(double work) const {
  return 1 + std::clamp(static_cast<int>(work * (kBuckets - 1)), 0, kBuckets - 2);
}

void WidthProgramme::FillSlots(const CapacityProfile& profile) {
  const auto row = static_cast<std::size_t>(slots_) + 1;
  tables_.costs.assign(options_ * row, 0);
  tables_.blocked.assign(options_ * row, 0);
  tables_.rest.assign(row, 0);
  tables_.bits.clear();
  std::size_t piece = profile.PieceAt(q_.first);
  for (std::size_t t = 0; t + 1 < row; ++t) {
    const Time from = Edge(static_cast<int>(t)), to = from + q_.slot;
    const double price = q_.price->Integral(from, to);
    const double rent = q_.rent ? q_.rent->Integral(from, to) : 0;
    while (profile.EndOf(piece) <= from) ++piece;
    int free = profile.pieces()[piece].free;
    for (std::size_t p = piece; profile.EndOf(p) < to; ++p)
      free = std::min(free, profile.pieces()[p + 1].free);
    for (std::size_t i = 0; i < options_; ++i) {
      const WidthOption& option = q_.options[i];
      tables_.costs[i * row + t + 1] =
          tables_.costs[i * row + t] + option.rate * price + option.width * rent;
      tables_.blocked[i * row + t + 1] =
          tables_.blocked[i * row + t] + (free < option.width ? 1 : 0);
    }
    AddBits(q_.slot, price, rent, free);
  }
  if (q_.begin < q_.first)
    AddBits(q_.first - q_.begin, q_.price->Integral(q_.begin, q_.first),
            q_.rent ? q_.rent->Integral(q_.begin, q_.first) : 0, q_.options.back().width);
}

// Adds what each further device costs and does in a time. Devices that do more per cost than
// narrower widths go together with them, so that the price of a share of work never falls.
void WidthProgramme::AddBits(Duration length, double price, double rent, int free) {
  double cost = 0, work = 0;
  for (std::size_t from = 0; from < options_;) {
    double best = kInfinite, best_cost = 0, best_work = 0;
    std::size_t next = options_;
    for (std::size_t i = from; i < options_ && q_.options[i].width <= free; ++i) {
      const double all = q_.options[i].rate * price + q_.options[i].width * rent;
      const double done = WorkIn(static_cast<int>(i), length);
      const double per_work = (all - cost) / (done - work);
      if (per_work > best) continue;
      best = per_work;
      best_cost = all;
      best_work = done;
      next = i + 1;
    }
    if (next == options_ && best == kInfinite) return;
    tables_.bits.emplace_back(best, best_work - work);
    bounded_ = bounded_ && best >= 0;
    cost = best_cost;
    work = best_work;
    from = next;
  }
}

bool WidthProgramme::MayBeat() {
  std::sort(tables_.bits.begin(), tables_.bits.end());
  double left = 1;
  for (const auto& [price, work] : tables_.bits) {
    const double part = std::min(left, work);
    floor_ += part * price;
    left -= part;
    work_price_ = price;
    if (left <= 0) break;
  }
  if (left > 1e-9) return false;
  return !bounded_ || !q_.moves.empty() || floor_ < q_.to_beat * (1 - 1e-9);
}

bool WidthProgramme::IsHopeless(const State& state) const {
  if (!q_.moves.empty()) return false;
  const double rest = work_price_ * std::max(0.0, 1 - state.work) +
                      tables_.rest[static_cast<std::size_t>(state.slot)];
  return state.cost + rest >= q_.to_beat;
}

bool WidthProgramme::Solve(const CapacityProfile& profile) {
  if (slots_ == 0 || options_ == 0) return false;
  FillRest();
  tie_ = kTie * std::abs(floor_);
  const auto states = static_cast<std::size_t>(slots_ + 1) * kBuckets;
  tables_.off.assign(states, {});
  tables_.on.assign(states * options_, {});
  if (!q_.must_go_on) Off(0, 0).cost = 0;
  for (int option = 0; option < static_cast<int>(options_); ++option)
    if (q_.runs == option || !q_.must_go_on) BeginNow(option, profile);
  for (int slot = 0; slot <= slots_; ++slot)
    for (int bucket = 0; bucket < kBuckets; ++bucket) Advance(slot, bucket);
  return best_.cost < kInfinite;
}

// The least that running in a slot, or leaving it, costs beyond the value of its work; summed from
// each slot to the last.
void WidthProgramme::FillRest() {
  for (int slot = slots_; slot-- > 0;) {
    double least = 0;
    for (int i = 0; i < static_cast<int>(options_); ++i)
      if (IsFree(i, slot, slot + 1))
        least = std::min(least, Cost(i, slot, slot + 1) - work_price_ * WorkIn(i, q_.slot));
    const auto at = static_cast<std::size_t>(slot);
    tables_.rest[at] = tables_.rest[at + 1] + least;
  }
}

// The state of a task that runs from `begin` into the slots.
void WidthProgramme::BeginNow(int index, const CapacityProfile& profile) {
  const WidthOption& option = q_.options[static_cast<std::size_t>(index)];
  const bool goes_on = q_.runs == index;
  if (!goes_on && q_.first <= q_.begin) return;
  if (!profile.HasFree({q_.begin, q_.first}, option.width)) return;
  const Duration before = goes_on ? q_.left : option.before;
  const Time until = goes_on ? q_.committed : q_.begin + q_.move + q_.shortest;
  const int slots = CeilDiv(std::max(until, q_.begin + before + Duration{1}) - q_.first, q_.slot);
  if (!IsFree(index, 0, slots)) return;
  const double work = WorkIn(index, q_.first - q_.begin + q_.slot * slots - before);
  // All of it in one piece is a window.
  if (work >= kDone) return;
  double cost = option.rate * q_.price->Integral(q_.begin, q_.first) + Cost(index, 0, slots);
  if (q_.rent) cost += option.width * q_.rent->Integral(q_.begin, q_.first);
  if (!goes_on) cost += q_.move_now;
  Keep(On(slots, BucketOf(work), index),
       {cost, work, 0, kRanBefore, static_cast<std::uint16_t>(slots)});
}

// Leaves a cell as it is unless the candidate's cost, less the value of its work, is lower.
void WidthProgramme::Keep(Cell& cell, const Cell& candidate) const {
  if (candidate.cost - work_price_ * candidate.work < cell.cost - work_price_ * cell.work)
    cell = candidate;
}

void WidthProgramme::Advance(int slot, int bucket) {
  Cell& off = Off(slot, bucket);
  for (int i = 0; i < static_cast<int>(options_); ++i) {
    const Cell on = On(slot, bucket, i);
    if (on.cost == kInfinite) continue;
    Keep(off, {on.cost, on.work, 0, kStops, static_cast<std::uint16_t>(i)});
    const State state{slot, bucket, on.cost, on.work};
    if (!IsHopeless(state) && IsFree(i, slot, slot + 1))
      Run(state, {i, 1, Duration::zero(), 0, kGoesOn});
  }
  const State state{slot, bucket, off.cost, off.work};
  if (off.cost == kInfinite || slot == slots_ || IsHopeless(state)) return;
  Keep(Off(slot + 1, bucket), {off.cost, off.work, 0, kWaits, 0});
  for (int i = 0; i < static_cast<int>(options_); ++i) Start(state, i);
}

// A start counts as a resume, with its cost, if the task ran before.
void WidthProgramme::Start(const State& off, int index) {
  const auto option = static_cast<std::size_t>(index);
  const bool first = off.bucket == 0;
  const Duration before = first ? q_.options[option].before : q_.resume;
  const int slots = SlotsFor(first ? q_.move + q_.shortest : q_.shortest, before);
  if (!IsFree(index, off.slot, off.slot + slots) || (first && Edge(off.slot) > q_.begin_by)) return;
  double extra = tie_;
  if (first && !q_.moves.empty()) extra += q_.moves[static_cast<std::size_t>(off.slot)];
  Run(off, {index, slots, before, extra, first ? kFirst : kStarts});
}

void WidthProgramme::Run(const State& from, const Step& step) {
  const int to = from.slot + step.slots;
  const double work = from.work + WorkIn(step.option, q_.slot * step.slots - step.before);
  const double cost = from.cost + step.extra + Cost(step.option, from.slot, to);
  if (work >= kDone) return Finish(from, step, cost, work);
  const Cell next{cost, work, static_cast<std::uint8_t>(from.bucket), step.way,
                  static_cast<std::uint16_t>(step.slots)};
  Keep(On(to, BucketOf(work), step.option), next);
}

// The task runs in the last slot only as long as there is work.
void WidthProgramme::Finish(const State& from, const Step& step, double cost, double work) {
  const int end = from.slot + step.slots;
  const auto full =
      static_cast<double>(q_.options[static_cast<std::size_t>(step.option)].full.count());
  const Duration spare{static_cast<Duration::rep>(std::max(0.0, (work - 1) * full))};
  if (Edge(end) - spare > q_.latest_end) return;
  if (step.way == kStarts && q_.slot * step.slots - spare < q_.shortest) return;
  if (spare >= q_.slot) return;
  cost -= Cost(step.option, end - 1, end) * (Hours(spare) / Hours(q_.slot));
  if (cost < best_.cost - 1e-12 * std::abs(best_.cost) || best_.cost == kInfinite)
    best_ = {cost, from.slot, from.bucket, step, spare};
}

std::vector<WidthProgramme::Piece> WidthProgramme::Pieces() const {
  std::vector<Piece> pieces;
  int slot = best_.slot, bucket = best_.bucket, option = best_.step.option;
  Time end = Edge(slot + best_.step.slots) - best_.spare;
  for (std::uint8_t way = best_.step.way;;) {
    if (way == kRanBefore) {
      pieces.push_back({option, {q_.begin, end}});
      break;
    }
    if (way != kGoesOn) {
      pieces.push_back({option, {Edge(slot), end}});
      if (way == kFirst) break;
      while (Off(slot, bucket).way == kWaits) --slot;
      end = Edge(slot);
      option = Off(slot, bucket).slots;
    }
    const Cell& cell = On(slot, bucket, option);
    way = cell.way;
    bucket = cell.before;
    slot -= cell.slots;
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace ebb::plan
