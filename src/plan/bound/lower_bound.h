#pragma once
// A lower bound on the price of running jobs on pools of devices within windows, by Lagrangian
// relaxation of the capacity: no schedule costs less. Every step of time and pool has a rent per
// device-hour. Each job alone then takes its cheapest place under price plus rent, exactly. The
// sum, less the rent of all free device-hours, is a bound for any rents >= 0 (Geoffrion 1974).
//
// The rents rise where the jobs ask for more than there is. A step goes from the best rents so far
// along an average of the subgradients (the volume algorithm, Barahona and Anbil 2000), and is as
// long as the expected rise of the bound (Polyak 1969). For a large queue, the climb begins with an
// even sample of its jobs and a capacity that is smaller by the same share. If jobs may choose
// between pools, a sample tells too little about each pool, so the climb begins with crowds of like
// jobs (crowds.h), which have the deadlines of all jobs. Any rents give a bound, and the bound is
// flat near the best ones, so a few steps with all jobs then suffice. If there are no rents to
// begin with, that first climb gives each rent steps of its own (Adam, Kingma and Ba 2015): if
// prices have no pattern, the averaged direction comes to rest while all rents together are still
// too low.
//
// Two more relaxations: devices are counted by device-hours per step, and jobs that may be split
// are split for free, on several pools at once. An elastic job may have any mix of its widths in
// each step, for free and on any pool: each further device is a bit of work of its own, at the
// price of the devices that it adds (efficient_widths.h). A schedule costs no less, because its
// widths in a step are such a mix.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "plan/policy.h"
#include "plan/problem/price_curve.h"
#include "plan/problem/task.h"

namespace ebb::plan {

struct BoundChoice {
  int pool = -1;
  Duration length{};     ///< running time of all remaining work on this pool
  double speed = 1;      ///< work done per running time on this pool
  double kilowatts = 0;  ///< power of all the job's devices, times the job's weight
  Time latest_end{};
  int curve = -1;     ///< index in BoundInput::curves of the price of an hour on this pool
  ChoiceMove move{};  ///< the move with which it begins, in `length`; powers times the job's weight
  double least_move = 0;  ///< price of the move at its cheapest; see PriceMoves
  /// The files may come from any site, because the job may have gone there while it ran.
  bool from_any_site = false;
};

struct BoundJob {
  Time earliest{};
  int width = 1;
  bool split = false;  ///< the job may run in pieces for free; otherwise in one piece
  Duration work{};     ///< remaining work at speed 1
  std::vector<BoundChoice> choices;
  /// The widths of an elastic job, as EfficientWidths gives them; empty: `width` alone. An elastic
  /// job may be split. Its choices, one for a pool, are for `width`.
  std::vector<core::WidthSpeed> widths{};
};

struct BoundInput {
  std::vector<BoundJob> jobs;
  std::vector<PriceCurve> curves;  ///< curves of the sites, then others; all with the same steps
  std::vector<int> site_of_pool;
  std::vector<int> devices_in_pool;
  /// Device time that is taken already, by pool.
  struct Taken {
    int pool = -1;
    int width = 1;
    Interval time{};
  };
  std::vector<Taken> taken;
  double constant = 0;  ///< price of settled jobs, added to the bound

  const PriceCurve& CurveOf(const BoundChoice& choice) const {
    return curves[static_cast<std::size_t>(choice.curve)];
  }
  const PriceCurve& SiteCurveOf(std::size_t pool) const {
    return curves[static_cast<std::size_t>(site_of_pool[pool])];
  }
};

/// Fills BoundChoice::least_move: a job that may be split pays at least this for the part of its
/// work that it does on the pool.
void PriceMoves(BoundInput& input);

/// Price of all jobs if each runs at its cheapest, with the devices to itself.
double CapacityFreeBound(const BoundInput& input);

struct RentedBound {
  double price = 0;
  Rents rents;  ///< rents with which the bound was found
};

/// Limit of the work for a bound: the number of places it may look at, some 1 ns each.
struct BoundBudget {
  std::int64_t places = 0;
  int most_steps = 1'000;  ///< most steps with a sample of the jobs, and with all jobs
};

/// The best bound within the budget, climbing from the rents of an earlier bound or from none.
RentedBound LagrangianBound(const BoundInput& input, const std::optional<Rents>& begin,
                            const BoundBudget& budget);

}  // namespace ebb::plan
