#include "plan/planner/split_search.h"

#include <algorithm>
#include <utility>

#include "plan/planner/piece_search.h"
#include "plan/planner/slot_length.h"
#include "plan/planner/slot_programme.h"

namespace ebb::plan {
namespace {

SlotQuestion QuestionFor(const PlanInput& input, const Task& task, const Choice& choice,
                         Interval allowed) {
  SlotQuestion question;
  question.slot = SlotLength({.length = choice.length - choice.move.takes, .grid = input.grid});
  question.first = allowed.begin - allowed.begin.time_since_epoch() % question.slot;
  if (question.first < allowed.begin) question.first += question.slot;
  question.length = choice.length;
  question.resume_cost = task.view->job->pause_cost;
  question.shortest = std::max(Duration{1}, task.view->job->minimum_segment);
  question.move = choice.move.takes;
  question.latest_end =
      std::min(std::min(choice.latest_end, allowed.end), input.CurveOf(choice).end());
  return question;
}

// The question for a job that already runs from the begin of `allowed` to the first line of the
// slots.
SlotQuestion RunningQuestion(const PlanInput& input, const Task& task, const Choice& choice,
                             Interval allowed, bool goes_on) {
  SlotQuestion question = QuestionFor(input, task, choice, allowed);
  const Time earliest = allowed.begin;
  const Time until =
      goes_on ? task.committed_until : earliest + choice.move.takes + question.shortest;
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
    const SlotQuestion running = RunningQuestion(input, task_, choice, allowed_, goes_on);
    if ((goes_on || running.first > allowed_.begin) && running.length > Duration::zero() &&
        draft_.ProfileOf(choice.pool).HasFree({allowed_.begin, running.first}, choice.width))
      Ask(running, index);
  }

  double MovePrice(const Choice& choice, Time begin) const {
    return draft_.input().MovePrice(choice, draft_.input().CurveOf(choice), begin);
  }

  // The price of running from the begin of `allowed` to the first slot.
  double PaidBefore(const SlotQuestion& question, const Choice& choice,
                    const RunPrice& price) const {
    if (!question.runs) return 0;
    return task_.weight * (choice.kilowatts * price.Integral(allowed_.begin, question.first) +
                           MovePrice(choice, allowed_.begin));
  }

  // The prices of moves by slot. A job without power has no running costs to compare them with.
  void FillMoves(const SlotQuestion& question, const Choice& choice) {
    if (question.move == Duration::zero() || question.runs) return;
    work_.tables.moves.clear();
    const double scale = choice.kilowatts > 0 ? 1 / choice.kilowatts : 1;
    for (Time begin = question.first; begin <= question.latest_end; begin += question.slot)
      work_.tables.moves.push_back(scale * MovePrice(choice, begin));
  }

  void Ask(const SlotQuestion& question, std::size_t index) {
    const Choice& choice = task_.choices[index];
    const RunPrice price = draft_.input().PriceOf(task_, choice);
    const double paid = PaidBefore(question, choice, price);
    FillMoves(question, choice);
    SlotProgramme programme(question, price, draft_.ProfileOf(choice.pool), choice.width,
                            work_.tables);
    work_.done += programme.slots();
    const Cost floor{0, paid + programme.Floor() * task_.weight * choice.kilowatts};
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
  if (draft.input().tasks[task].elastic) return CheapestWidths(draft, task, allowed, to_beat, work);
  return SplitSearch(draft, task, allowed, to_beat, work).Run();
}

Placement CheapestWithin(const Draft& draft, std::size_t task, Interval allowed, Work& work,
                         const Cost& to_beat) {
  Placement best = CheapestWindow(draft, task, allowed, work, to_beat);
  if (!draft.input().tasks[task].CanSplit()) return best;
  const Cost lowest = best.choice < 0 ? to_beat : best.cost;
  if (auto split = CheapestSplit(draft, task, allowed, lowest, work)) best = *std::move(split);
  if (work.stays || !draft.input().MayMove(draft.input().tasks[task])) return best;
  const Cost at_one_site = best.choice < 0 ? to_beat : best.cost;
  if (auto tour = CheapestTour(draft, task, allowed, at_one_site, work)) best = *std::move(tour);
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
  const double needed = std::max(options.minimum_saving * draft.input().tasks[task].weight,
                                 options.minimum_saving_share * first.cost.price);
  if (first.cost.price - best.cost.price >= needed) return best;
  first.saving_too_small = true;
  return first;
}

}  // namespace ebb::plan
