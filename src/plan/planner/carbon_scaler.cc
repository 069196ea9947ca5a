#include "plan/planner/carbon_scaler.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/jobs/widths.h"
#include "plan/bound/efficient_widths.h"
#include "plan/gate_policy.h"
#include "plan/gated.h"
#include "plan/planner/schedule_writer.h"
#include "plan/problem/capacity_profile.h"
#include "plan/problem/slot_prices.h"
#include "plan/problem/task.h"

namespace ebb::plan {
namespace {

using std::chrono::minutes;

// The work and the carbon that one further width adds in one step.
struct Item {
  double price_per_work = 0;
  std::size_t step = 0, level = 0;
  bool operator<(const Item& other) const {
    return std::tie(price_per_work, step, level) <
           std::tie(other.price_per_work, other.step, other.level);
  }
};

void Append(std::vector<ScalerPiece>& pieces, Interval time, int devices) {
  if (!pieces.empty() && pieces.back().time.end == time.begin && pieces.back().devices == devices)
    pieces.back().time.end = time.end;
  else
    pieces.push_back({time, devices});
}

// Whole milliseconds, rounded up.
Duration TimeFor(double work, double speed) {
  return Duration{static_cast<Duration::rep>(std::ceil(1000 * work / speed - 1e-6))};
}

// The widest free width of every step until the work is done; nullopt if there is no room.
std::optional<std::vector<ScalerPiece>> AsWideAsPossible(
    std::span<const ScalerStep> steps, const std::vector<core::WidthSpeed>& widths, Duration work) {
  std::vector<ScalerPiece> pieces;
  double left = Seconds(work);
  for (const ScalerStep& step : steps) {
    const auto wider = std::ranges::upper_bound(widths, step.free, {}, &core::WidthSpeed::devices);
    if (wider == widths.begin()) continue;
    const core::WidthSpeed& width = *std::prev(wider);
    const Duration time = std::min(step.time.length(), TimeFor(left, width.speed));
    Append(pieces, {step.time.begin, step.time.begin + time}, width.devices);
    left -= width.speed * Seconds(time);
    if (time < step.time.length() || left <= 0) return pieces;
  }
  return std::nullopt;
}

class Greedy {
 public:
  Greedy(std::span<const ScalerStep> steps, std::vector<core::WidthSpeed> widths, double work)
      : steps_(steps), widths_(std::move(widths)), left_(work), levels_(steps.size()) {
    for (std::size_t step = 0; step < steps.size(); ++step)
      for (std::size_t level = 0; level < widths_.size(); ++level)
        if (widths_[level].devices <= steps[step].free) items_.push_back(ItemOf(step, level));
    std::sort(items_.begin(), items_.end());
  }

  /// Takes the cheapest item of the steps that begin by then.
  void BeginBy(Time begin_by) {
    for (const Item& item : items_)
      if (item.level == 0 && steps_[item.step].time.begin <= begin_by) return Take(item);
  }

  void TakeAll() {
    for (const Item& item : items_)
      if (left_ > 0 && item.level == levels_[item.step]) Take(item);
  }

  bool done() const { return left_ <= 0; }
  std::optional<Time> begin() const {
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (levels_[i] > 0) return steps_[i].time.begin;
    return std::nullopt;
  }

  std::vector<ScalerPiece> Pieces() const {
    std::vector<ScalerPiece> pieces;
    const auto add = [&](Interval time, std::size_t level) {
      if (level == 0 || time.length() == Duration::zero()) return;
      Append(pieces, time, widths_[level - 1].devices);
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Interval& time = steps_[i].time;
      const Time narrows = i == last_ ? time.begin + last_for_ : time.end;
      add({time.begin, narrows}, levels_[i]);
      if (narrows < time.end) add({narrows, time.end}, levels_[i] - 1);
    }
    return pieces;
  }

 private:
  double SpeedOf(std::size_t level) const {
    return widths_[level].speed - (level > 0 ? widths_[level - 1].speed : 0);
  }

  Item ItemOf(std::size_t step, std::size_t level) const {
    const int devices = widths_[level].devices - (level > 0 ? widths_[level - 1].devices : 0);
    return {steps_[step].price * devices / SpeedOf(level), step, level};
  }

  void Take(const Item& item) {
    const double length = Seconds(steps_[item.step].time.length());
    const double work = SpeedOf(item.level) * length;
    levels_[item.step] = item.level + 1;
    if (work >= left_) {
      last_ = item.step;
      last_for_ = std::min(steps_[item.step].time.length(), TimeFor(left_, SpeedOf(item.level)));
    }
    left_ = work >= left_ ? 0 : left_ - work;
  }

  std::span<const ScalerStep> steps_;
  std::vector<core::WidthSpeed> widths_;
  double left_ = 0;                  // work in seconds at speed 1
  std::vector<std::size_t> levels_;  // widths taken in each step
  std::vector<Item> items_;
  std::size_t last_ = static_cast<std::size_t>(-1);  // the step in which the work is done
  Duration last_for_{};  // the time for which the last item is needed there
};

// The plans of all elastic jobs, one after the other.
class ElasticJobs {
 public:
  ElasticJobs(const Problem& problem, Duration horizon, Schedule& schedule)
      : problem_(problem), schedule_(schedule) {
    tasks_ = MakeTasks(problem, horizon);
    end_ = problem.now + minutes{5};
    for (const Task& task : tasks_)
      for (const Choice& choice : task.choices)
        end_ = std::max({end_, choice.latest_end, problem.now + choice.length});
    curves_ = MakePrices(problem, end_, minutes{5}, {});
    for (const core::DevicePool& pool : problem.cluster->pools)
      profiles_.emplace_back(problem.now, pool.count);
  }

  // Elastic jobs come in the order of submission, also those that run: a job that is paused for
  // another width must not lose its turn, or two jobs pause each other for ever.
  void PlanAll() {
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (IsRunning(i) && (!tasks_[i].elastic || tasks_[i].fixed)) Take(i, {{0, LeftOf(i)}});
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].elastic && !tasks_[i].fixed) PlanOne(i);
  }

 private:
  struct Found {
    double cost = 0;
    Placement placement;
  };

  bool IsRunning(std::size_t index) const {
    return problem_.jobs[index].state == JobState::kRunning;
  }

  Interval LeftOf(std::size_t index) const {
    const Task& task = tasks_[index];
    const Duration left = task.fixed || task.continues ? task.continued_length : Duration::zero();
    return {problem_.now, problem_.now + left};
  }

  // Pieces as choices of the task and times.
  using Pieces = std::vector<std::pair<int, Interval>>;
  void Take(std::size_t index, const Pieces& pieces) {
    for (const auto& [choice, time] : pieces) {
      const Choice& at = tasks_[index].choices[static_cast<std::size_t>(choice)];
      profiles_[static_cast<std::size_t>(at.pool)].Take(time, at.width);
    }
  }

  void PlanOne(std::size_t index) {
    std::optional<Found> best;
    for (int pool = 0; pool < static_cast<int>(profiles_.size()); ++pool) {
      auto found = OnPool(tasks_[index], pool);
      if (found && (!best || found->cost < best->cost)) best = std::move(found);
    }
    if (!best) return;  // it runs at once, as other jobs do
    const Placement& placement = best->placement;
    Pieces pieces;
    for (std::size_t i = 0; i < placement.pieces.size(); ++i)
      pieces.emplace_back(static_cast<int>(placement.ChoiceOf(i)), placement.pieces[i]);
    Take(index, pieces);
    schedule_.jobs[index] = PlanOf(problem_, tasks_[index], placement, {});
  }

  // A job that cannot end in time runs as wide as it can until it is done.
  std::optional<Found> OnPool(const Task& task, int pool) const {
    const auto first = std::ranges::find(task.choices, pool, &Choice::pool);
    if (first == task.choices.end()) return std::nullopt;
    std::vector<core::WidthSpeed> widths = core::WidthsOf(*task.view->job);
    const double speed = first->speed;
    std::erase_if(widths, [&](const core::WidthSpeed& width) {
      return !core::FitsAt(*task.view->job, *problem_.cluster, pool, width.devices);
    });
    for (core::WidthSpeed& width : widths) width.speed *= speed;
    const Duration work = task.view->remaining;
    auto pieces = ScaleByCarbon(StepsOn(pool, first->latest_end), widths, work, first->begin_by);
    if (!pieces) pieces = AsWideAsPossible(StepsOn(pool, end_), widths, work);
    if (!pieces) return std::nullopt;
    return FoundOf(task, pool, *pieces);
  }

  std::vector<ScalerStep> StepsOn(int pool, Time end) const {
    const CapacityProfile& profile = profiles_[static_cast<std::size_t>(pool)];
    const PriceCurve& curve = curves_[static_cast<std::size_t>(
        problem_.cluster->pools[static_cast<std::size_t>(pool)].site)];
    const Time begin = std::max(problem_.now, problem_.closed_until.value_or(problem_.now));
    std::vector<ScalerStep> steps;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const Interval time{std::max(begin, curve.EdgeAt(i)), std::min(end, curve.EdgeAt(i + 1))};
      if (time.begin >= time.end) continue;
      int free = profile.pieces()[profile.PieceAt(time.begin)].free;
      for (std::size_t p = profile.PieceAt(time.begin); profile.EndOf(p) < time.end; ++p)
        free = std::min(free, profile.pieces()[p + 1].free);
      steps.push_back({time, curve.PriceOf(i), free});
    }
    return steps;
  }

  Found FoundOf(const Task& task, int pool, const std::vector<ScalerPiece>& pieces) const {
    Found found;
    for (const ScalerPiece& piece : pieces) {
      const auto choice = std::ranges::find_if(task.choices, [&](const Choice& one) {
        return one.pool == pool && one.width == piece.devices;
      });
      const PriceCurve& curve = curves_[static_cast<std::size_t>(choice->curve)];
      found.cost += choice->kilowatts * curve.Integral(piece.time.begin, piece.time.end);
      found.placement.pieces.push_back(piece.time);
      found.placement.choices.push_back(static_cast<int>(choice - task.choices.begin()));
    }
    found.placement.choice = found.placement.choices.front();
    return found;
  }

  const Problem& problem_;
  Schedule& schedule_;
  std::vector<Task> tasks_;
  Time end_;  // of what is planned
  std::vector<PriceCurve> curves_;
  std::vector<CapacityProfile> profiles_;
};

class CarbonScaler final : public Policy {
 public:
  explicit CarbonScaler(Duration horizon)
      : horizon_(horizon), others_(MakeGated(MakeRunNow(), {"carbon-scaler", horizon})) {}

  std::string_view name() const override { return "carbon-scaler"; }

  void Update(const Problem& problem, const Change& change, Schedule& schedule) const override {
    others_->Update(problem, change, schedule);
    if (std::ranges::none_of(problem.jobs,
                             [](const JobView& view) { return core::IsElastic(*view.job); }))
      return;
    ElasticJobs(problem, horizon_, schedule).PlanAll();
    schedule.wake_at = Time::max();
    for (const JobPlan& plan : schedule.jobs)
      schedule.wake_at = std::min(schedule.wake_at, plan.wake_at);
  }

 private:
  Duration horizon_;
  std::unique_ptr<Policy> others_;
};

}  // namespace

std::optional<std::vector<ScalerPiece>> ScaleByCarbon(std::span<const ScalerStep> steps,
                                                      const std::vector<core::WidthSpeed>& widths,
                                                      Duration work, Time begin_by) {
  const std::vector<core::WidthSpeed> efficient = EfficientWidths(widths);
  Greedy greedy(steps, efficient, Seconds(work));
  greedy.TakeAll();
  if (!greedy.done()) return std::nullopt;
  if (*greedy.begin() <= begin_by) return greedy.Pieces();
  Greedy in_time(steps, efficient, Seconds(work));
  in_time.BeginBy(begin_by);
  in_time.TakeAll();
  return in_time.Pieces();
}

std::unique_ptr<Policy> MakeCarbonScaler(Duration horizon) {
  return std::make_unique<CarbonScaler>(horizon);
}

}  // namespace ebb::plan
