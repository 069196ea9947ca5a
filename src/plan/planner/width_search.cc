#include "plan/planner/width_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include "plan/planner/width_programme.h"
#include "plan/problem/piece_work.h"

namespace ebb::plan {
namespace {

using std::chrono::minutes;

constexpr std::array<Duration, 6> kSlots{minutes{5},  minutes{10}, minutes{15},
                                         minutes{20}, minutes{30}, minutes{60}};
constexpr int kSlotsPerJob = 10;  // finer slots for short jobs
// More slots are made coarser, in a large queue sooner, because the time goes with their number.
constexpr int kMostSlots = 1'200, kMostSlotsOfLargeQueue = 400;

class WidthSearch {
 public:
  WidthSearch(const Draft& draft, std::size_t task, Interval allowed, const Cost& to_beat,
              Work& work)
      : draft_(draft),
        input_(draft.input()),
        index_(task),
        task_(input_.tasks[task]),
        allowed_(allowed),
        to_beat_(to_beat),
        work_(work) {}

  std::optional<Placement> Run() {
    for (std::size_t i = 0; i < task_.choices.size(); ++i)
      if (IsFirstOfPool(i)) TryPool(task_.choices[i].pool);
    return std::move(best_);
  }

 private:
  bool IsFirstOfPool(std::size_t index) const {
    return std::none_of(
        task_.choices.begin(), task_.choices.begin() + static_cast<std::ptrdiff_t>(index),
        [&](const Choice& choice) { return choice.pool == task_.choices[index].pool; });
  }

  std::vector<WidthOption> OptionsOn(int pool) const {
    std::vector<WidthOption> options;
    for (std::size_t i = 0; i < task_.choices.size(); ++i) {
      const Choice& choice = task_.choices[i];
      if (choice.pool == pool && choice.width <= work_.widest)
        options.push_back({static_cast<int>(i), choice.width, FullTime(choice), choice.before_work,
                           task_.weight * choice.kilowatts});
    }
    std::ranges::sort(options, {}, &WidthOption::width);
    return options;
  }

  // Slots so fine that the task takes a few of them at its narrowest width, or at the widest if the
  // queue is small, but not too many up to the latest end.
  Duration SlotFor(const std::vector<WidthOption>& options, Time latest_end) const {
    const bool large = input_.grid > Duration{1};
    const Duration length = large ? options.front().full : options.back().full;
    const Duration span = latest_end - allowed_.begin;
    for (const Duration slot : kSlots)
      if (slot * kSlotsPerJob >= length && slot % input_.grid == Duration::zero() &&
          span / slot <= (large ? kMostSlotsOfLargeQueue : kMostSlots))
        return slot;
    const Duration coarse = kSlots.back();
    return coarse * (length / (coarse * kSlotsPerJob) + 1);
  }

  // A task that is done before two pieces can be runs in one.
  bool MayChange(const std::vector<WidthOption>& options) const {
    return options.front().full + options.front().before >= 2 * task_.view->job->minimum_segment;
  }

  void TryPool(int pool) {
    WidthQuestion question;
    question.options = OptionsOn(pool);
    if (question.options.empty() || !MayChange(question.options)) return;
    const Choice& choice = task_.choices[static_cast<std::size_t>(question.options.front().choice)];
    const bool goes_on =
        task_.continues && pool == task_.choices[0].pool && allowed_.begin == input_.now;
    question.begin = allowed_.begin;
    question.latest_end =
        std::min(std::min(choice.latest_end, allowed_.end), input_.CurveOf(choice).end());
    question.begin_by = choice.begin_by;
    question.slot = SlotFor(question.options, question.latest_end);
    question.first = allowed_.begin - allowed_.begin.time_since_epoch() % question.slot;
    if (question.first < allowed_.begin) question.first += question.slot;
    question.shortest = std::max(Duration{1}, task_.view->job->minimum_segment);
    question.resume = task_.view->job->pause_cost;
    question.move = choice.move.takes;
    question.price = &input_.CurveOf(choice);
    if (!input_.rents.empty()) question.rent = &input_.rents[static_cast<std::size_t>(pool)];
    if (task_.continues && task_.committed_until > input_.now) question.must_go_on = true;
    if (question.must_go_on && !goes_on) return;
    if (goes_on && task_.choices[0].width <= work_.widest) AddRunning(question);
    AddMoves(choice, question);
    question.to_beat = to_beat_.late > 0 ? 1e100 : to_beat_.price;
    Ask(question, pool);
  }

  void AddRunning(WidthQuestion& question) const {
    question.runs = static_cast<int>(std::ranges::find(question.options, 0, &WidthOption::choice) -
                                     question.options.begin());
    question.left = task_.continued_length - FullTime(task_.choices[0]);
    question.committed = task_.committed_until;
  }

  // The devices of a move wait, and their number is a matter of the width. The moves are priced as
  // for the narrowest, and the cost of the whole placement exactly in the end.
  void AddMoves(const Choice& choice, WidthQuestion& question) const {
    if (question.move == Duration::zero()) return;
    const PriceCurve& here = input_.CurveOf(choice);
    question.move_now = task_.weight * input_.MovePrice(choice, here, question.begin);
    for (Time begin = question.first; begin <= question.latest_end; begin += question.slot)
      question.moves.push_back(task_.weight * input_.MovePrice(choice, here, begin));
  }

  void Ask(const WidthQuestion& question, int pool) {
    const CapacityProfile& profile = draft_.ProfileOf(pool);
    WidthProgramme programme(question, profile, work_.width_tables);
    work_.done += programme.slots() * static_cast<std::int64_t>(question.options.size());
    if (!programme.MayBeat()) return;
    work_.done += programme.size() / 8;
    if (!programme.Solve(profile)) return;
    Placement placement = PlacementOf(question, programme.Pieces());
    if (!FitLastPiece(input_, task_, placement)) return;
    if (!draft_.HasRoom(index_, placement)) return;
    placement.cost = input_.CostOf(task_, placement);
    if (!Lower(placement.cost, to_beat_)) return;
    to_beat_ = placement.cost;
    best_ = std::move(placement);
  }

  Placement PlacementOf(const WidthQuestion& question,
                        const std::vector<WidthProgramme::Piece>& pieces) const {
    Placement placement;
    std::vector<int> choices;
    for (const WidthProgramme::Piece& piece : pieces) {
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
  std::optional<Placement> best_;
};

}  // namespace

std::optional<Placement> CheapestWidths(const Draft& draft, std::size_t task, Interval allowed,
                                        const Cost& to_beat, Work& work) {
  return WidthSearch(draft, task, allowed, to_beat, work).Run();
}

}  // namespace ebb::plan
