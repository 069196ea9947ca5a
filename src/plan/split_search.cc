#include "plan/split_search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace ebb::plan {
namespace {

using std::chrono::minutes;

constexpr std::array<Duration, 6> kSlots{minutes{5},  minutes{10}, minutes{15},
                                         minutes{20}, minutes{30}, minutes{60}};
constexpr int kSlotsPerJob = 10;  // finer slots for short jobs
constexpr int kMostResumes = 3;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Duration SlotFor(const PlanInput& input, Duration length) {
  for (const Duration slot : kSlots)
    if (slot * kSlotsPerJob >= length && slot % input.grid == Duration::zero()) return slot;
  const Duration coarse = kSlots.back();
  return coarse * (length / (coarse * kSlotsPerJob) + 1);
}

int CeilDiv(Duration time, Duration slot) {
  if (time <= Duration::zero()) return 0;
  return static_cast<int>((time + slot - Duration{1}) / slot);
}

// What the programme is asked: to run `length` from `first` on.
struct Question {
  Time first{};  // begin of slot 0
  Duration slot{};
  Duration length{};       // without further resumes
  Duration resume_cost{};  // extra running time of each further resume
  Duration shortest{};     // piece
  Time latest_end{};
  bool runs = false;  // a piece that began before `first` goes on
  Duration owed{};    // runs: for at least this long
};

class SlotProgramme {
 public:
  SlotProgramme(const Question& question, const PriceCurve& curve, const CapacityProfile& profile,
                int width, SplitTables& tables)
      : q_(question), tables_(tables) {
    for (int m = 0; m <= kMostResumes; ++m)
      needed_[static_cast<std::size_t>(m)] = CeilDiv(q_.length + q_.resume_cost * m, q_.slot);
    layers_ = needed_[kMostResumes] + 1;
    slots_ = std::max(0, CeilDiv(q_.latest_end - q_.first, q_.slot));
    piece_ = std::max(1, CeilDiv(q_.shortest, q_.slot));
    FillSlots(curve, profile, width);
  }

  int slots() const { return slots_; }
  std::int64_t size() const { return std::int64_t{slots_ + 1} * layers_ * (kMostResumes + 1); }

  // What one resume more must cost at least: the cheapest free slots, in any order.
  double Floor() {
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
    return floor;
  }

  // Whether there is a way to run all of it; cost() and Pieces() speak of the cheapest.
  bool Solve() {
    if (slots_ == 0) return false;
    tables_.on.assign(static_cast<std::size_t>(size()), {});
    tables_.off.assign(static_cast<std::size_t>(size()), {});
    Begin();
    for (int t = 0; t <= slots_; ++t) Advance(t);
    return best_.cost < kInfinite;
  }

  double cost() const { return best_.cost; }

 private:
  using Cell = SplitTables::Cell;

  // How a state was reached.
  static constexpr std::uint8_t kGoesOn = 0, kStarts = 1, kRanBefore = 2;
  static constexpr std::uint8_t kWaits = 0, kStops = 1;

  struct State {
    int t = 0, n = 0, m = 0;  // slot, slots run, resumes
  };
  struct End {
    double cost = kInfinite;
    State state;
    std::uint8_t way = kGoesOn;
  };

  std::size_t At(int t, int n, int m) const {
    return static_cast<std::size_t>((std::int64_t{t} * layers_ + n) * (kMostResumes + 1) + m);
  }

  Time Edge(int t) const { return q_.first + q_.slot * t; }

  void FillSlots(const PriceCurve& curve, const CapacityProfile& profile, int width) {
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

  bool IsFree(int from, int to) const {
    return to <= slots_ && tables_.blocked[static_cast<std::size_t>(to)] ==
                               tables_.blocked[static_cast<std::size_t>(from)];
  }
  double Price(int from, int to) const {
    return tables_.sums[static_cast<std::size_t>(to)] -
           tables_.sums[static_cast<std::size_t>(from)];
  }

  void Begin() {
    if (!q_.runs) {
      tables_.off[At(0, 0, 0)].cost = 0;
      return;
    }
    const int owed = CeilDiv(q_.owed, q_.slot);
    if (owed < needed_[0] && owed <= slots_ && IsFree(0, owed))
      tables_.on[At(owed, owed, 0)] = {Price(0, owed), kRanBefore};
  }

  void Advance(int t) {
    for (int n = 0; n < layers_; ++n) {
      for (int m = 0; m <= kMostResumes; ++m) {
        Cell& off = tables_.off[At(t, n, m)];
        const double on = tables_.on[At(t, n, m)].cost;
        if (on < off.cost) off = {on, kStops};
        if (t == slots_) continue;
        if (on < kInfinite && IsFree(t, t + 1)) Run({t, n, m}, 1, m, on, kGoesOn);
        if (off.cost == kInfinite) continue;
        Keep(tables_.off[At(t + 1, n, m)], {off.cost, kWaits});
        const int resumes = ResumesAfter(n, m);
        if (resumes <= kMostResumes && IsFree(t, t + piece_))
          Run({t, n, m}, piece_, resumes, off.cost, kStarts);
      }
    }
  }

  // A start is a resume, and costs one, where something ran before.
  int ResumesAfter(int n, int m) const { return m + (n > 0 || q_.runs ? 1 : 0); }

  static void Keep(Cell& cell, Cell candidate) {
    if (candidate.cost < cell.cost) cell = candidate;
  }

  void Run(State from, int slots, int resumes, double cost, std::uint8_t way) {
    const State to{from.t + slots, from.n + slots, resumes};
    const int needed = needed_[static_cast<std::size_t>(resumes)];
    if (to.n > needed) return;
    const double total = cost + Price(from.t, to.t);
    if (to.n < needed)
      Keep(tables_.on[At(to.t, to.n, to.m)], {total, way});
    else
      Finish(to, total, way);
  }

  // The last slot is run only as far as there is work.
  void Finish(State end, double total, std::uint8_t way) {
    const Duration spare = q_.slot * end.n - q_.length - q_.resume_cost * end.m;
    if (Edge(end.t) - spare > q_.latest_end) return;
    if (way == kStarts && end.n > piece_ && q_.slot * piece_ - spare < q_.shortest) return;
    const double cost = total - tables_.rates[static_cast<std::size_t>(end.t - 1)] * Hours(spare);
    if (cost < best_.cost - 1e-12 * best_.cost || best_.cost == kInfinite) best_ = {cost, end, way};
  }

 public:
  std::vector<Interval> Pieces() const {
    std::vector<Interval> pieces;
    State at = best_.state;
    const Duration spare = q_.slot * at.n - q_.length - q_.resume_cost * at.m;
    Time end = Edge(at.t) - spare;
    for (std::uint8_t way = best_.way;;) {
      if (way == kGoesOn) {
        --at.t, --at.n;
      } else if (way == kStarts) {
        at.t -= piece_;
        at.n -= piece_;
        pieces.push_back({Edge(at.t), end});
        if (at.n > 0 || q_.runs) --at.m;
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

 private:
  const Question& q_;
  SplitTables& tables_;
  std::array<int, kMostResumes + 1> needed_{};
  int layers_ = 0, slots_ = 0, piece_ = 1;
  End best_;
};

Question QuestionFor(const PlanInput& input, const Task& task, const Choice& choice,
                     Interval allowed) {
  Question question;
  question.slot = SlotFor(input, choice.length);
  question.first = allowed.begin - allowed.begin.time_since_epoch() % question.slot;
  if (question.first < allowed.begin) question.first += question.slot;
  question.length = choice.length;
  question.resume_cost = task.view->job->pause_overhead;
  question.shortest = std::max(Duration{1}, task.view->job->minimum_segment);
  question.latest_end =
      std::min(std::min(choice.latest_end, allowed.end), input.CurveOf(choice.pool).end());
  return question;
}

// The same, but running from the begin to the first line of the slots already.
Question RunningQuestion(const PlanInput& input, const Task& task, const Choice& choice,
                         Interval allowed, bool goes_on) {
  Question question = QuestionFor(input, task, choice, allowed);
  const Time earliest = allowed.begin;
  const Time until = goes_on ? task.committed_until : earliest + question.shortest;
  question.runs = true;
  question.owed = std::max(Duration::zero(), until - question.first);
  question.length = (goes_on ? task.continued_length : choice.length) - (question.first - earliest);
  return question;
}

class SplitSearch {
 public:
  SplitSearch(const Draft& draft, std::size_t task, Interval allowed, const Cost& to_beat,
              Work& work)
      : draft_(draft),
        task_index_(task),
        task_(draft.input().tasks[task]),
        allowed_(allowed),
        to_beat_(to_beat),
        work_(work) {}

  std::optional<Placement> Run() {
    for (std::size_t i = 0; i < task_.choices.size(); ++i) TryChoice(i);
    return std::move(best_);
  }

 private:
  void TryChoice(std::size_t index) {
    const PlanInput& input = draft_.input();
    const Choice& choice = task_.choices[index];
    const bool goes_on = task_.continues && index == 0 && allowed_.begin == input.now;
    if (!task_.continues || task_.committed_until <= input.now)
      Ask(QuestionFor(input, task_, choice, allowed_), index);
    const Question running = RunningQuestion(input, task_, choice, allowed_, goes_on);
    if ((goes_on || running.first > allowed_.begin) && running.length > Duration::zero() &&
        draft_.ProfileOf(choice.pool).HasFree({allowed_.begin, running.first}, task_.width))
      Ask(running, index);
  }

  void Ask(const Question& question, std::size_t index) {
    const Choice& choice = task_.choices[index];
    const double paid =
        question.runs
            ? choice.kilowatts *
                  draft_.input().CurveOf(choice.pool).Integral(allowed_.begin, question.first)
            : 0;
    SlotProgramme programme(question, draft_.input().CurveOf(choice.pool),
                            draft_.ProfileOf(choice.pool), task_.width, work_.tables);
    work_.done += programme.slots();
    const Cost floor{0, paid + programme.Floor() * choice.kilowatts};
    if (!Lower(floor, to_beat_)) return;
    work_.done += programme.size() / 8;
    if (!programme.Solve()) return;
    Placement placement;
    placement.choice = static_cast<int>(index);
    placement.pieces = programme.Pieces();
    if (question.runs) placement.pieces.front().begin = allowed_.begin;
    std::erase_if(placement.pieces,
                  [](const Interval& piece) { return piece.length() == Duration::zero(); });
    if (draft_.starts().limited() && !draft_.HasRoom(task_index_, placement)) return;
    placement.cost = draft_.input().CostOf(task_, choice, placement.pieces);
    if (!Lower(placement.cost, to_beat_)) return;
    to_beat_ = placement.cost;
    best_ = std::move(placement);
  }

  const Draft& draft_;
  std::size_t task_index_;
  const Task& task_;
  Interval allowed_;
  Cost to_beat_;
  Work& work_;
  std::optional<Placement> best_;
};

}  // namespace

std::optional<Placement> CheapestSplit(const Draft& draft, std::size_t task, Interval allowed,
                                       const Cost& to_beat, Work& work) {
  return SplitSearch(draft, task, allowed, to_beat, work).Run();
}

Placement CheapestWithin(const Draft& draft, std::size_t task, Interval allowed, Work& work) {
  constexpr Cost kAnything{1e100, 1e100};
  Placement best = CheapestWindow(draft, task, allowed, work);
  if (!draft.input().tasks[task].CanSplit()) return best;
  const Cost to_beat = best.choice < 0 ? kAnything : best.cost;
  if (auto split = CheapestSplit(draft, task, allowed, to_beat, work)) best = *std::move(split);
  return best;
}

Placement CheapestPlacement(const Draft& draft, std::size_t task, const SearchOptions& options,
                            Work& work) {
  const Time now = draft.input().now;
  Placement best = CheapestWithin(draft, task, {now, Time::max()}, work);
  if (best.choice >= 0 && !options.AsksForSaving()) return best;
  Placement first = EarliestWindow(draft, task, now, work);
  if (best.choice < 0) return first;
  if (first.choice < 0 || first.cost.late > 0) return best;
  const double needed =
      std::max(options.minimum_saving, options.minimum_saving_share * first.cost.price);
  if (first.cost.price - best.cost.price >= needed) return best;
  first.saving_too_small = true;
  return first;
}

}  // namespace ebb::plan
