#include "plan/planner/piece_programme.h"

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

PieceProgramme::PieceProgramme(const PieceQuestion& question, PieceTables& tables)
    : q_(question),
      tables_(tables),
      options_(question.options.size()),
      places_(question.places.size()) {
  Time latest_end = q_.first;
  for (const PiecePlace& place : q_.places) latest_end = std::max(latest_end, place.latest_end);
  slots_ = CeilDiv(latest_end - q_.first, q_.slot);
  // The devices of a move are counted at the narrowest width, so a wide one may cost a little less.
  const bool moves = std::ranges::any_of(
      q_.first_moves, [](const PieceMove& move) { return !move.prices.empty(); });
  prunes_ = !moves || options_ == places_;
  FillSlots();
}

// The fewest slots that are as long as the shortest piece and in which there is progress.
int PieceProgramme::SlotsFor(Duration shortest, Duration before) const {
  return std::max({1, CeilDiv(shortest, q_.slot), CeilDiv(before + Duration{1}, q_.slot)});
}

PieceProgramme::Cell& PieceProgramme::On(int slot, int bucket, int option) const {
  const auto state = static_cast<std::size_t>(slot) * kBuckets + static_cast<std::size_t>(bucket);
  return tables_.on[state * options_ + static_cast<std::size_t>(option)];
}

PieceProgramme::Cell& PieceProgramme::Off(int slot, int bucket, int place) const {
  const auto state = static_cast<std::size_t>(slot) * kBuckets + static_cast<std::size_t>(bucket);
  return tables_.off[state * places_ + static_cast<std::size_t>(place)];
}

double PieceProgramme::Cost(int option, int from, int to) const {
  const double* row = tables_.costs.data() +
                      static_cast<std::size_t>(option) * (static_cast<std::size_t>(slots_) + 1);
  return row[to] - row[from];
}

bool PieceProgramme::IsFree(int option, int from, int to) const {
  if (to > slots_) return false;
  const int* row = tables_.blocked.data() +
                   static_cast<std::size_t>(option) * (static_cast<std::size_t>(slots_) + 1);
  return row[to] == row[from];
}

double PieceProgramme::WorkIn(int option, Duration time) const {
  return static_cast<double>(time.count()) / static_cast<double>(OptionAt(option).full.count());
}

int PieceProgramme::BucketOf(double work) const {
  return 1 + std::clamp(static_cast<int>(work * (kBuckets - 1)), 0, kBuckets - 2);
}

void PieceProgramme::FillSlots() {
  const auto row = static_cast<std::size_t>(slots_) + 1;
  tables_.costs.assign(options_ * row, 0);
  tables_.blocked.assign(options_ * row, 0);
  tables_.rest.assign(row, 0);
  for (std::size_t place = 0; place < places_; ++place) FillPlace(place);
  FillBits();
}

// Fills the rows of the options at one place.
void PieceProgramme::FillPlace(std::size_t index) {
  const PiecePlace& place = q_.places[index];
  const CapacityProfile& profile = *place.profile;
  const auto row = static_cast<std::size_t>(slots_) + 1;
  std::size_t piece = profile.PieceAt(q_.first);
  for (std::size_t t = 0; t + 1 < row; ++t) {
    const Time from = Edge(static_cast<int>(t)), to = from + q_.slot;
    const double price = place.price->Integral(from, to);
    const double rent = place.rent ? place.rent->Integral(from, to) : 0;
    while (profile.EndOf(piece) <= from) ++piece;
    int free = from < place.latest_end ? profile.pieces()[piece].free : 0;
    for (std::size_t p = piece; profile.EndOf(p) < to; ++p)
      free = std::min(free, profile.pieces()[p + 1].free);
    for (std::size_t i = 0; i < options_; ++i) {
      const PieceOption& option = q_.options[i];
      if (static_cast<std::size_t>(option.place) != index) continue;
      tables_.costs[i * row + t + 1] =
          tables_.costs[i * row + t] + option.rate * price + option.width * rent;
      tables_.blocked[i * row + t + 1] =
          tables_.blocked[i * row + t] + (free < option.width ? 1 : 0);
    }
  }
}

void PieceProgramme::FillBits() {
  tables_.bits.clear();
  std::vector<double> costs(options_);
  for (int slot = 0; slot < slots_; ++slot) {
    for (std::size_t i = 0; i < options_; ++i) {
      const int option = static_cast<int>(i);
      costs[i] = IsFree(option, slot, slot + 1) ? Cost(option, slot, slot + 1) : kInfinite;
    }
    AddBits(q_.slot, costs);
  }
  if (q_.begin >= q_.first) return;
  for (std::size_t i = 0; i < options_; ++i) {
    const PiecePlace& place = PlaceOf(q_.options[i]);
    costs[i] = q_.options[i].rate * place.price->Integral(q_.begin, q_.first);
    if (place.rent) costs[i] += q_.options[i].width * place.rent->Integral(q_.begin, q_.first);
  }
  AddBits(q_.first - q_.begin, costs);
}

// Adds what the options cost and do in a time, one after the other: each has more work than the one
// before, at the lowest price for that. Options that do more per cost than narrower ones go
// together with them, so that the price of a share of work never falls.
void PieceProgramme::AddBits(Duration length, std::span<const double> costs) {
  double cost = 0, work = 0;
  for (;;) {
    double best = kInfinite, best_cost = 0, best_work = 0;
    for (std::size_t i = 0; i < options_; ++i) {
      const double done = WorkIn(static_cast<int>(i), length);
      if (costs[i] == kInfinite || done <= work) continue;
      const double per_work = (costs[i] - cost) / (done - work);
      if (per_work > best || (per_work == best && done < best_work)) continue;
      best = per_work;
      best_cost = costs[i];
      best_work = done;
    }
    if (best == kInfinite) return;
    tables_.bits.emplace_back(best, best_work - work);
    bounded_ = bounded_ && best >= 0;
    cost = best_cost;
    work = best_work;
  }
}

bool PieceProgramme::MayBeat() {
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
  return !bounded_ || !prunes_ || floor_ + CheapestMove() < q_.to_beat * (1 - 1e-9);
}

// The least that going from one place to another one costs; 0 if there is one place.
double PieceProgramme::CheapestMove() const {
  double least = places_ > 1 ? kInfinite : 0;
  for (std::size_t from = 0; from < places_; ++from)
    for (std::size_t to = 0; to < places_; ++to)
      if (to != from) least = std::min(least, q_.moves[from][to].least);
  return least;
}

bool PieceProgramme::IsHopeless(const State& state) const {
  if (!prunes_) return false;
  const double rest = work_price_ * std::max(0.0, 1 - state.work) +
                      tables_.rest[static_cast<std::size_t>(state.slot)];
  return state.cost + rest >= q_.to_beat;
}

bool PieceProgramme::Solve() {
  if (slots_ == 0 || options_ == 0) return false;
  FillRest();
  tie_ = kTie * std::abs(floor_);
  const auto states = static_cast<std::size_t>(slots_ + 1) * kBuckets;
  tables_.off.assign(states * places_, {});
  tables_.on.assign(states * options_, {});
  if (!q_.must_go_on) Off(0, 0, 0).cost = 0;
  for (int option = 0; option < static_cast<int>(options_); ++option)
    if (q_.runs == option || !q_.must_go_on) BeginNow(option);
  for (int slot = 0; slot <= slots_; ++slot)
    for (int bucket = 0; bucket < kBuckets; ++bucket) Advance(slot, bucket);
  return best_.cost < kInfinite;
}

// The least that running in a slot, or leaving it, costs beyond the value of its work; summed from
// each slot to the last.
void PieceProgramme::FillRest() {
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
void PieceProgramme::BeginNow(int index) {
  const PieceOption& option = OptionAt(index);
  const PiecePlace& place = PlaceOf(option);
  const auto at = static_cast<std::size_t>(option.place);
  const bool goes_on = q_.runs == index;
  if (!goes_on && q_.first <= q_.begin) return;
  if (!place.profile->HasFree({q_.begin, q_.first}, option.width)) return;
  const Duration before = goes_on ? q_.left : option.before;
  const Time until = goes_on ? q_.committed : q_.begin + q_.first_moves[at].takes + q_.shortest;
  const int slots = CeilDiv(std::max(until, q_.begin + before + Duration{1}) - q_.first, q_.slot);
  if (!IsFree(index, 0, slots)) return;
  const double work = WorkIn(index, q_.first - q_.begin + q_.slot * slots - before);
  // All of it in one piece is a window.
  if (work >= kDone) return;
  double cost = option.rate * place.price->Integral(q_.begin, q_.first) + Cost(index, 0, slots);
  if (place.rent) cost += option.width * place.rent->Integral(q_.begin, q_.first);
  if (!goes_on) cost += q_.move_now[at];
  Keep(On(slots, BucketOf(work), index),
       {cost, work, 0, kRanBefore, static_cast<std::uint16_t>(slots)});
}

// Leaves a cell as it is unless the candidate's cost, less the value of its work, is lower.
void PieceProgramme::Keep(Cell& cell, const Cell& candidate) const {
  if (candidate.cost - work_price_ * candidate.work < cell.cost - work_price_ * cell.work)
    cell = candidate;
}

void PieceProgramme::Advance(int slot, int bucket) {
  for (int i = 0; i < static_cast<int>(options_); ++i) {
    const Cell on = On(slot, bucket, i);
    if (on.cost == kInfinite) continue;
    Keep(Off(slot, bucket, OptionAt(i).place),
         {on.cost, on.work, 0, kStops, static_cast<std::uint16_t>(i)});
    const State state{slot, bucket, on.cost, on.work};
    if (!IsHopeless(state) && IsFree(i, slot, slot + 1))
      Run(state, {i, 1, Duration::zero(), 0, kGoesOn});
  }
  for (int place = 0; place < static_cast<int>(places_); ++place) {
    const Cell& off = Off(slot, bucket, place);
    const State state{slot, bucket, off.cost, off.work, place};
    if (off.cost == kInfinite || slot == slots_ || IsHopeless(state)) continue;
    Keep(Off(slot + 1, bucket, place), {off.cost, off.work, 0, kWaits, 0});
    for (int i = 0; i < static_cast<int>(options_); ++i) Start(state, i);
  }
}

// A start counts as a resume, with its cost, if the task ran before.
void PieceProgramme::Start(const State& off, int index) {
  const PieceOption& option = OptionAt(index);
  const auto to = static_cast<std::size_t>(option.place);
  const bool first = off.bucket == 0;
  const PieceMove& move =
      first ? q_.first_moves[to] : q_.moves[static_cast<std::size_t>(off.place)][to];
  const Duration before = first ? option.before : q_.resume + move.takes;
  const Duration shortest = q_.shortest + move.takes;
  const int slots = SlotsFor(shortest, before);
  if (!IsFree(index, off.slot, off.slot + slots)) return;
  if (first && Edge(off.slot) > PlaceOf(option).begin_by) return;
  double extra = tie_;
  if (!move.prices.empty()) extra += move.prices[static_cast<std::size_t>(off.slot)];
  Run(off, {index, slots, before, extra, first ? kFirst : kStarts, shortest});
}

void PieceProgramme::Run(const State& from, const Step& step) {
  const int to = from.slot + step.slots;
  const double work = from.work + WorkIn(step.option, q_.slot * step.slots - step.before);
  const double cost = from.cost + step.extra + Cost(step.option, from.slot, to);
  if (work >= kDone) return Finish(from, step, cost, work);
  const Cell next{cost,
                  work,
                  static_cast<std::uint8_t>(from.bucket),
                  step.way,
                  static_cast<std::uint16_t>(step.slots),
                  static_cast<std::uint8_t>(from.place)};
  Keep(On(to, BucketOf(work), step.option), next);
}

// The task runs in the last slot only as long as there is work.
void PieceProgramme::Finish(const State& from, const Step& step, double cost, double work) {
  const int end = from.slot + step.slots;
  const PieceOption& option = OptionAt(step.option);
  const auto full = static_cast<double>(option.full.count());
  const Duration spare{static_cast<Duration::rep>(std::max(0.0, (work - 1) * full))};
  if (Edge(end) - spare > PlaceOf(option).latest_end) return;
  if (step.way == kStarts && q_.slot * step.slots - spare < step.shortest) return;
  if (spare >= q_.slot) return;
  cost -= Cost(step.option, end - 1, end) * (Hours(spare) / Hours(q_.slot));
  if (cost < best_.cost - 1e-12 * std::abs(best_.cost) || best_.cost == kInfinite)
    best_ = {cost, from.slot, from.bucket, from.place, step, spare};
}

std::vector<PieceProgramme::Piece> PieceProgramme::Pieces() const {
  std::vector<Piece> pieces;
  int slot = best_.slot, bucket = best_.bucket, place = best_.place, option = best_.step.option;
  Time end = Edge(slot + best_.step.slots) - best_.spare;
  for (std::uint8_t way = best_.step.way;;) {
    if (way == kRanBefore) {
      pieces.push_back({option, {q_.begin, end}});
      break;
    }
    if (way != kGoesOn) {
      pieces.push_back({option, {Edge(slot), end}});
      if (way == kFirst) break;
      while (Off(slot, bucket, place).way == kWaits) --slot;
      end = Edge(slot);
      option = Off(slot, bucket, place).slots;
    }
    const Cell& cell = On(slot, bucket, option);
    way = cell.way;
    place = cell.place;
    bucket = cell.before;
    slot -= cell.slots;
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace ebb::plan
