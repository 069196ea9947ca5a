#include "plan/planner/piece_search.h"

#include <algorithm>
#include <utility>

#include "core/jobs/move.h"
#include "plan/planner/piece_programme.h"
#include "plan/planner/slot_length.h"
#include "plan/problem/piece_work.h"

namespace ebb::plan {
namespace {

constexpr int kSlotsPerJob = 10;
// Jobs of up to 40 hours have slots of an hour at most, because places differ from hour to hour.
constexpr int kSlotsPerTour = 40;
// More slots are made coarser, in a large queue sooner, because the time goes with their number.
constexpr int kMostSlots = 1'200, kMostSlotsOfLargeQueue = 400;
constexpr std::size_t kMostPlaces = 32;

class PieceSearch {
 public:
  PieceSearch(const Draft& draft, std::size_t task, Interval allowed, const Cost& to_beat,
              Work& work)
      : draft_(draft),
        input_(draft.input()),
        index_(task),
        task_(input_.tasks[task]),
        allowed_(allowed),
        to_beat_(to_beat),
        work_(work) {}

  /// Pieces of different widths, on one pool.
  void TryEachPool() {
    for (const int pool : Pools()) Try({pool});
  }

  /// Pieces at different sites, and of different widths.
  void TryAllPools() {
    std::vector<int> pools = Pools();
    if (pools.size() > kMostPlaces) return;
    tour_ = true;
    // A running task has a price for leaving its site (PlanInput::CostOf).
    if (to_beat_.late == 0 && !task_.continues) to_beat_.price *= 1 - input_.move_saves;
    Try(pools);
  }

  std::optional<Placement> Best() { return std::move(best_); }

 private:
  // The pools of the task's choices, a running task's own pool first.
  std::vector<int> Pools() const {
    std::vector<int> pools;
    for (const Choice& choice : task_.choices)
      if (std::ranges::find(pools, choice.pool) == pools.end()) pools.push_back(choice.pool);
    return pools;
  }

  const Choice& ChoiceOf(const PieceOption& option) const {
    return task_.choices[static_cast<std::size_t>(option.choice)];
  }

  void AddOptions(int place, int pool, std::vector<PieceOption>& options) const {
    const auto first = options.size();
    for (std::size_t i = 0; i < task_.choices.size(); ++i) {
      const Choice& choice = task_.choices[i];
      if (choice.pool == pool && choice.width <= work_.widest)
        options.push_back({static_cast<int>(i), place, choice.width, FullTime(choice),
                           choice.before_work, task_.weight * choice.kilowatts});
    }
    std::sort(
        options.begin() + static_cast<std::ptrdiff_t>(first), options.end(),
        [](const PieceOption& left, const PieceOption& right) { return left.width < right.width; });
  }

  Duration Shortest() const {
    const Duration shortest = std::max(Duration{1}, task_.view->job->minimum_segment);
    return tour_ ? std::max(shortest, core::kStaysFor) : shortest;
  }

  // Slots so fine that the task takes a few of them at its narrowest width, or at the widest if the
  // queue is small, but not too many up to the latest end.
  Duration SlotFor(const std::vector<PieceOption>& options, Time latest_end) const {
    const bool large = input_.grid > Duration{1};
    const Duration length = large ? options.front().full : options.back().full;
    const Duration span = latest_end - allowed_.begin;
    return SlotLength({length, tour_ ? kSlotsPerTour : kSlotsPerJob, input_.grid, span,
                       large ? kMostSlotsOfLargeQueue : kMostSlots});
  }

  // A task that is done before two pieces can be runs in one.
  bool MayChange(const std::vector<PieceOption>& options) const {
    return options.front().full + options.front().before >= 2 * Shortest();
  }

  void AddPlace(int pool, PieceQuestion& question) const {
    const auto before = question.options.size();
    AddOptions(static_cast<int>(question.places.size()), pool, question.options);
    if (question.options.size() == before) return;
    const Choice& choice = ChoiceOf(question.options[before]);
    PiecePlace place;
    place.profile = &draft_.ProfileOf(pool);
    place.price = &input_.CurveOf(choice);
    if (!input_.rents.empty()) place.rent = &input_.rents[static_cast<std::size_t>(pool)];
    place.begin_by = choice.begin_by;
    place.latest_end = std::min({choice.latest_end, allowed_.end, place.price->end()});
    question.places.push_back(place);
  }

  void Try(const std::vector<int>& pools) {
    PieceQuestion question;
    for (const int pool : pools) AddPlace(pool, question);
    if (question.options.empty() || !MayChange(question.options)) return;
    const bool goes_on =
        task_.continues && pools.front() == task_.choices[0].pool && allowed_.begin == input_.now;
    question.must_go_on = task_.continues && task_.committed_until > input_.now;
    if (question.must_go_on && !goes_on) return;
    Time latest_end = allowed_.begin;
    for (const PiecePlace& place : question.places)
      latest_end = std::max(latest_end, place.latest_end);
    question.begin = allowed_.begin;
    question.slot = SlotFor(question.options, latest_end);
    question.first = allowed_.begin - allowed_.begin.time_since_epoch() % question.slot;
    if (question.first < allowed_.begin) question.first += question.slot;
    question.shortest = Shortest();
    question.resume = task_.view->job->pause_cost;
    if (goes_on && task_.choices[0].width <= work_.widest) AddRunning(question);
    AddMoves(latest_end, question);
    question.to_beat = to_beat_.late > 0 ? 1e100 : to_beat_.price;
    Ask(question);
  }

  void AddRunning(PieceQuestion& question) const {
    question.runs = static_cast<int>(std::ranges::find(question.options, 0, &PieceOption::choice) -
                                     question.options.begin());
    question.left = task_.continued_length - FullTime(task_.choices[0]);
    question.committed = task_.committed_until;
    if (tour_) question.committed = std::max(question.committed, StaysUntil());
  }

  // A running task may leave its site from here.
  Time StaysUntil() const { return task_.view->segment_begin + core::kStaysFor; }

  // The devices of a move wait, and their number is a matter of the width. The moves are priced as
  // for the narrowest, and the cost of the whole placement exactly in the end.
  void AddMoves(Time latest_end, PieceQuestion& question) const {
    std::vector<const Choice*> narrowest(question.places.size());
    for (const PieceOption& option : question.options) {
      const Choice*& choice = narrowest[static_cast<std::size_t>(option.place)];
      if (!choice) choice = &ChoiceOf(option);
    }
    for (const Choice* to : narrowest) {
      question.first_moves.push_back(MoveTo(*to, to->move, latest_end, question));
      question.move_now.push_back(
          to->move.takes == Duration::zero()
              ? 0
              : task_.weight * input_.MovePrice(*to, input_.CurveOf(*to), question.begin));
    }
    for (const Choice* from : narrowest) {
      auto& moves = question.moves.emplace_back();
      for (const Choice* to : narrowest)
        moves.push_back(MoveTo(*to, input_.MoveBetween(task_, *from, *to), latest_end, question));
    }
  }

  PieceMove MoveTo(const Choice& choice, const ChoiceMove& move, Time latest_end,
                   const PieceQuestion& question) const {
    PieceMove moved{move.takes, {}, 0};
    if (move.takes == Duration::zero()) return moved;
    const PriceCurve& here = input_.CurveOf(choice);
    moved.least = std::numeric_limits<double>::infinity();
    for (Time begin = question.first; begin <= latest_end; begin += question.slot) {
      const double beyond = input_.MovePrice(choice, move, here, begin);
      moved.prices.push_back(task_.weight * beyond);
      const double whole = beyond + choice.kilowatts * here.Integral(begin, begin + move.takes);
      moved.least = std::min(moved.least, task_.weight * whole);
    }
    return moved;
  }

  void Ask(const PieceQuestion& question) {
    PieceProgramme programme(question, work_.piece_tables);
    work_.done += programme.slots() * static_cast<std::int64_t>(question.options.size());
    if (!programme.MayBeat()) return;
    work_.done += programme.size() / 8;
    if (!programme.Solve()) return;
    Placement placement = PlacementOf(question, programme.Pieces());
    if (!FitLastPiece(input_, task_, placement)) return;
    if (!draft_.HasRoom(index_, placement)) return;
    placement.cost = input_.CostOf(task_, placement);
    if (!Lower(placement.cost, to_beat_)) return;
    to_beat_ = placement.cost;
    best_ = std::move(placement);
  }

  Placement PlacementOf(const PieceQuestion& question,
                        const std::vector<PieceProgramme::Piece>& pieces) const {
    Placement placement;
    std::vector<int> choices;
    for (const PieceProgramme::Piece& piece : pieces) {
      placement.pieces.push_back(piece.time);
      choices.push_back(question.options[static_cast<std::size_t>(piece.option)].choice);
    }
    placement.choice = choices.front();
    if (std::ranges::count(choices, choices.front()) < std::ssize(choices))
      placement.choices = std::move(choices);
    return placement;
  }

  const Draft& draft_;
  const PlanInput& input_;
  std::size_t index_;
  const Task& task_;
  Interval allowed_;
  Cost to_beat_;
  Work& work_;
  bool tour_ = false;
  std::optional<Placement> best_;
};

}  // namespace

std::optional<Placement> CheapestWidths(const Draft& draft, std::size_t task, Interval allowed,
                                        const Cost& to_beat, Work& work) {
  PieceSearch search(draft, task, allowed, to_beat, work);
  search.TryEachPool();
  return search.Best();
}

std::optional<Placement> CheapestTour(const Draft& draft, std::size_t task, Interval allowed,
                                      const Cost& to_beat, Work& work) {
  PieceSearch search(draft, task, allowed, to_beat, work);
  search.TryAllPools();
  return search.Best();
}

}  // namespace ebb::plan
