#pragma once
// A draft of a plan: the placement and cost of every task, and the free devices of each pool.
// Placing and removing tasks keep the profiles up to date; the searches judge if a placement is
// good.

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/jobs/move.h"
#include "plan/problem/capacity_profile.h"
#include "plan/problem/price_curve.h"
#include "plan/problem/rooms_by_step.h"
#include "plan/problem/run_price.h"
#include "plan/problem/start_log.h"
#include "plan/problem/task.h"

namespace ebb::plan {

/// Lateness outweighs price. A job that misses its deadline weighs more than any lateness of jobs
/// that miss theirs anyway, so no feasible deadline is given up for an infeasible one.
struct Cost {
  double late = 0;   ///< lateness; 0: every deadline is kept
  double price = 0;  ///< weight x kilowatts x hours x price: grams if no job has a preference

  Cost& operator+=(const Cost& other) {
    late += other.late;
    price += other.price;
    return *this;
  }
};
/// More than any placement costs.
inline constexpr Cost kAnyCost{1e100, 1e100};
/// True if `left` is lower by more than rounding.
bool Lower(const Cost& left, const Cost& right);

struct Placement {
  int choice = -1;  ///< index into the task's choices; -1: nowhere
  std::vector<Interval> pieces;
  Cost cost;
  bool saving_too_small = false;  ///< begins early, because waiting would save too little
  /// The choice of each piece, if the task changes its width or its site. Empty: `choice`, which is
  /// that of the first piece, is that of all.
  std::vector<int> choices{};

  std::size_t ChoiceOf(std::size_t piece) const {
    return static_cast<std::size_t>(choices.empty() ? choice : choices[piece]);
  }
  Time begin() const { return pieces.front().begin; }
  Time end() const { return pieces.back().end; }
};

/// The data that all drafts of one plan share.
struct PlanInput {
  const core::Cluster* cluster = nullptr;  ///< not needed if no task moves while it runs
  Time now{};
  Time opens{};                          ///< on the grid; jobs that do not run yet begin no earlier
  double move_saves = core::kMoveSaves;  ///< least share that going from site to site saves
  double ramp_watts = std::numeric_limits<double>::infinity();  ///< limit of start_log.h
  Duration grid{1};  ///< starts lie on this grid (or are now), and devices are held to its next
                     ///< line
  std::vector<Task> tasks;
  std::vector<PriceCurve> curves;  ///< curves of the sites, then those of jobs with a preference
                                   ///< (preferences.h)
  bool has_preferences = false;    ///< prices are not grams for every job
  std::vector<PriceCurve> rents;   ///< rents by pool, per device-hour; empty: none. Part of every
                                   ///< cost
  std::vector<int> site_of_pool;
  std::vector<int> devices_in_pool;

  const PriceCurve& CurveOf(const Choice& choice) const {
    return curves[static_cast<std::size_t>(choice.curve)];
  }
  RunPrice PriceOf(const Task& task, const Choice& choice) const {
    const PriceCurve* rent =
        rents.empty() ? nullptr : &rents[static_cast<std::size_t>(choice.pool)];
    const double kilowatts = task.weight * choice.kilowatts;
    return {CurveOf(choice), rent, kilowatts > 0 ? choice.width / kilowatts : 0};
  }
  /// The price of a move that begins at `begin`, beyond that of running for the same time. `here`
  /// is the curve that prices the site of the choice.
  double MovePrice(const Choice& choice, const ChoiceMove& move, const PriceCurve& here,
                   Time begin) const;
  double MovePrice(const Choice& choice, const PriceCurve& here, Time begin) const {
    return MovePrice(choice, choice.move, here, begin);
  }
  /// True if the task may go from one site to another while it runs. Only plans of small queues
  /// look for that.
  bool MayMove(const Task& task) const;
  /// True if a task that runs would go to another site by a piece on the choice.
  bool Leaves(const Task& task, const Choice& choice) const;
  /// The move of a task that has run on one choice and goes on at another one.
  ChoiceMove MoveBetween(const Task& task, const Choice& from, const Choice& to) const;
  /// The move with which a piece of a placement begins.
  ChoiceMove MoveOf(const Task& task, const Placement& placement, std::size_t piece) const;
  Time GridFloor(Time time) const;
  Time GridCeil(Time time) const;
  /// The time in which a piece of running keeps other jobs from its devices.
  Interval Held(Interval piece) const { return {piece.begin, GridCeil(piece.end)}; }
  /// True if the placement begins with a piece that runs already.
  bool GoesOn(const Task& task, const Placement& placement) const;
  /// Price and lateness of running `pieces` on a choice.
  Cost CostOf(const Task& task, const Choice& choice, const std::vector<Interval>& pieces) const;
  /// The same of a placement, whose pieces may have different widths and sites.
  Cost CostOf(const Task& task, const Placement& placement) const;

 private:
  void AddLeaving(const Task& task, bool at_once, Cost& cost) const;
  void AddLateness(const Task& task, const Choice& first, const Choice& last,
                   const std::vector<Interval>& pieces, Cost& cost) const;
};

class Draft {
 public:
  /// Makes a draft in which only the fixed tasks are placed.
  explicit Draft(const PlanInput& input);

  const PlanInput& input() const { return *input_; }
  const CapacityProfile& ProfileOf(int pool) const {
    return profiles_[static_cast<std::size_t>(pool)];
  }
  /// RoomsByStep::Longest of a pool, by step of the prices. Kept up to date from the first question
  /// on, so a draft must not be asked from two threads at once.
  const std::vector<double>& LongestRooms(int pool, int width) const {
    const auto index = static_cast<std::size_t>(pool);
    return rooms_[index].Longest(profiles_[index], width);
  }
  const StartLog& starts() const { return starts_; }
  const Placement& PlacementOf(std::size_t task) const { return placements_[task]; }
  bool IsPlaced(std::size_t task) const { return placements_[task].choice >= 0; }

  void Place(std::size_t task, Placement placement);
  Placement Remove(std::size_t task);
  /// Places many tasks at once, fast. Returns false, and places none, if there is not room for all.
  bool PlaceAll(std::vector<std::pair<std::size_t, Placement>>& placements);
  /// True if the pieces find enough free devices and their starts keep the limit of rising power.
  bool HasRoom(std::size_t task, const Placement& placement) const;
  /// Total cost, summed in the order of tasks, so that equal plans cost the same to the last digit.
  Cost Total() const;
  /// Total price without rents and preferences: grams, or carbon and money blended.
  double PlainPrice() const;

 private:
  void Take(std::size_t task, const Placement& placement, int sign);
  void LogStarts(std::size_t task, const Placement& placement, bool add);

  const PlanInput* input_;
  StartLog starts_;
  std::vector<CapacityProfile> profiles_;
  mutable std::vector<RoomsByStep> rooms_;
  std::vector<Placement> placements_;
};

}  // namespace ebb::plan
