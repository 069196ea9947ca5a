#include "plan/planner/planner.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "plan/bound/hindsight_flow.h"
#include "plan/bound/plan_bound.h"
#include "plan/planner/construct.h"
#include "plan/planner/local_search.h"
#include "plan/planner/quick_start.h"
#include "plan/planner/rented_search.h"
#include "plan/planner/schedule_writer.h"
#include "plan/problem/draft.h"
#include "plan/problem/preferences.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kFarthest = hours{30 * 24};

class Planner final : public Policy {
 public:
  explicit Planner(const PlannerOptions& options) : options_(options) {}

  std::string_view name() const override { return "planner"; }

  void Update(const Problem& problem, const Change& change, Schedule& schedule) const override {
    const PlanInput input = MakeInput(problem);
    const SearchOptions search = Search();
    Work work;
    const bool continues = Continues(problem, schedule);
    bool anew = !continues || change.signals;
    const WorkBudget& allowed =
        continues && !change.cluster ? options_.next_plan : options_.first_plan;
    Draft draft = continues ? KeepSchedule(input, schedule, search, work)
                            : PlaceAsSoonAsPossible(input, work);
    if (continues && !IsInTime(draft)) {
      Draft afresh = PlaceAsSoonAsPossible(input, work);
      if (afresh.Total().late < draft.Total().late) {
        draft = std::move(afresh);
        anew = true;
      }
    }
    RentedBound bound = BoundOf(draft, schedule.rents, allowed);
    const bool rented = input.tasks.size() >= options_.rented_from;
    if (rented && anew) {
      const std::vector<bool> late = LateOf(draft);
      PlaceUnderRents(draft, bound.rents, search, work);
      // The bound holds for all schedules that are as punctual as the draft.
      if (LateOf(draft) != late)
        bound.price = LagrangianBound(MakeBoundInput(draft), bound.rents, {}).price;
    }
    const auto budget = work.done + ShareOf(allowed.most, allowed.per_job, problem.jobs.size());
    if (IsExact(input)) {
      Improve(draft, search, budget, work);
      PullForward(draft, work);
      bound.price = std::max(bound.price, FlowBound(draft));
    } else {
      MoveEach(draft, search, work, budget);
    }
    WriteSchedule(problem, draft, HeedsMoney(), schedule);
    schedule.lower_bound.reset();
    if (!HeedsMoney() && !input.has_preferences) schedule.lower_bound = Emissions{bound.price};
    schedule.rents.reset();
    if (rented) schedule.rents = std::move(bound.rents);
  }

  void PlanEach(const Problem& problem, std::span<const std::size_t> places,
                Schedule& schedule) const override {
    std::vector<JobView> views;
    for (const std::size_t place : places) views.push_back(problem.jobs[place]);
    PlanInput input;
    input.cluster = problem.cluster;
    input.now = problem.now;
    input.opens = problem.closed_until.value_or(problem.now);
    input.tasks =
        MakeTasks({problem.now, problem.cluster, views, problem.sites, problem.closed_until},
                  options_.horizon);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Task& task = input.tasks[i];
      JobPlan& plan = schedule.jobs[places[i]];
      Placement placement;
      if (task.fixed)
        placement = {0, {{input.now, input.now + task.continued_length}}, {}};
      else if (auto kept = KeptPlacement(input, i, plan))
        placement = std::move(*kept);
      plan = PlanOf(problem, task, placement, {options_.uses_preferences, HeedsMoney()});
    }
  }

  bool places_beside() const override { return true; }

  void PlaceBeside(const Problem& problem, const Change&, Schedule& schedule) const override {
    const PlanInput input = MakeInput(problem);
    const SearchOptions search = Search();
    Work work;
    auto [draft, loses_deadlines] = KeepScheduleQuickly(
        input, schedule, search, options_.most_placed_beside, options_.most_moved_beside, work);
    if (loses_deadlines) BeginAfresh(draft, search, work);
    StartWhatGains(draft, search, work);
    WriteSchedule(problem, draft, HeedsMoney(), schedule);
    schedule.lower_bound.reset();
  }

 private:
  bool HeedsMoney() const { return options_.prices.tariff_weight > 0; }
  SearchOptions Search() const {
    return {options_.minimum_saving_share, options_.minimum_saving.grams};
  }

  static std::vector<bool> LateOf(const Draft& draft) {
    std::vector<bool> late(draft.input().tasks.size());
    for (std::size_t i = 0; i < late.size(); ++i) late[i] = draft.PlacementOf(i).cost.late > 0;
    return late;
  }

  // Replaces the draft by a new one if that keeps more deadlines.
  void BeginAfresh(Draft& draft, const SearchOptions& search, Work& work) const {
    Draft afresh = PlaceAsSoonAsPossible(draft.input(), work);
    if (afresh.Total().late >= draft.Total().late) return;
    MoveEach(afresh, search, work, work.done + options_.most_moved_beside);
    draft = std::move(afresh);
  }

  // Moves jobs to the earliest time if that costs no more, so that a device that becomes free early
  // is not idle while waiting saves nothing.
  static void PullForward(Draft& draft, Work& work) {
    const PlanInput& input = draft.input();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < input.tasks.size(); ++i)
      if (!input.tasks[i].fixed && draft.IsPlaced(i) && draft.PlacementOf(i).begin() > input.now)
        order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return draft.PlacementOf(left).begin() < draft.PlacementOf(right).begin();
    });
    for (const std::size_t index : order) {
      Placement planned = draft.Remove(index);
      Placement soon = EarliestWindow(draft, index, input.now, work);
      const bool better =
          soon.choice >= 0 && soon.begin() < planned.begin() && !Lower(planned.cost, soon.cost);
      draft.Place(index, std::move(better ? soon : planned));
    }
  }

  bool IsExact(const PlanInput& input) const { return input.tasks.size() <= options_.exact_up_to; }

  static std::int64_t ShareOf(std::int64_t most, std::int64_t per_job, std::size_t jobs) {
    return std::min(most, per_job * static_cast<std::int64_t>(jobs));
  }

  static RentedBound BoundOf(const Draft& draft, const std::optional<Rents>& begin,
                             const WorkBudget& allowed) {
    const BoundInput input = MakeBoundInput(draft);
    return LagrangianBound(input, begin,
                           {ShareOf(allowed.bound, allowed.bound_per_job, input.jobs.size())});
  }

  // A bound that is higher than the other one if jobs may be split; minus infinity if it would take
  // long.
  double FlowBound(const Draft& draft) const {
    const BoundInput bound = MakeBoundInput(draft);
    const auto flow = SolveHindsightFlow(bound, options_.most_flow_arcs);
    return flow && flow->feasible ? bound.constant + flow->emissions.grams
                                  : -std::numeric_limits<double>::infinity();
  }

  // True if the previous schedule has plans for enough jobs to continue from it.
  static bool Continues(const Problem& problem, const Schedule& schedule) {
    if (schedule.jobs.size() != problem.jobs.size()) return false;
    const auto planned = std::count_if(schedule.jobs.begin(), schedule.jobs.end(),
                                       [](const JobPlan& plan) { return !plan.segments.empty(); });
    return 2 * static_cast<std::size_t>(planned) > problem.jobs.size();
  }

  PlanInput MakeInput(const Problem& problem) const {
    PlanInput input;
    input.cluster = problem.cluster;
    input.now = problem.now;
    input.move_saves = options_.move_saves;
    if (options_.ramp_limit_per_5_minutes)
      input.ramp_watts = options_.ramp_limit_per_5_minutes->watts;
    input.tasks = MakeTasks(problem, options_.horizon);
    const bool exact = IsExact(input);
    input.grid = exact ? Duration{1} : options_.large_queue_grid;
    if (problem.closed_until) input.opens = input.GridCeil(*problem.closed_until);
    input.curves = MakePrices(problem, EndOf(problem, input.tasks),
                              exact ? minutes{5} : options_.slot, options_.prices);
    if (options_.uses_preferences) ApplyPreferences(problem, options_.prices.risk, input);
    for (const core::DevicePool& pool : problem.cluster->pools) {
      input.site_of_pool.push_back(pool.site);
      input.devices_in_pool.push_back(pool.count);
    }
    return input;
  }

  Time EndOf(const Problem& problem, const std::vector<Task>& tasks) const {
    Time end = problem.now + options_.horizon;
    for (const Task& task : tasks)
      for (const Choice& choice : task.choices) end = std::max(end, choice.latest_end);
    return std::min(end, problem.now + kFarthest);
  }

  PlannerOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakePlanner(const PlannerOptions& options) {
  return std::make_unique<Planner>(options);
}

}  // namespace ebb::plan
