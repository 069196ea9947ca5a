#pragma once
// No schedule costs less: a lower bound on the price of running jobs on pools of devices within
// windows, by Lagrangian relaxation of the capacity. Every step of time and pool has a rent per
// device-hour; each job alone then takes its cheapest place under price plus rent, exactly; the sum
// less the rent of all free device-hours is a bound for any rents >= 0 (Geoffrion 1974).
//
// The rents rise where the jobs ask for more than there is. A step goes from the best rents so far
// along an average of the subgradients (the volume algorithm, Barahona and Anbil 2000), and is as
// long as the bound is expected to rise (Polyak 1969). A large queue is first climbed with some of
// its jobs, evenly drawn, and as much less capacity: any rents give a bound, and near the best ones
// it is flat, so a few steps with all jobs are left to do. From no rents, that first climb gives
// each rent steps of its own (Adam, Kingma and Ba 2015): where prices have no pattern, the averaged
// direction comes to rest while all rents together are still too low.
//
// Relaxed besides: devices are counted by device-hours per step, and jobs that may be split are
// split for free, on several pools at once.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "plan/policy.h"
#include "plan/problem/price_curve.h"

namespace ebb::plan {

struct BoundChoice {
  int pool = -1;
  Duration length{};     ///< of all that is left, there
  double speed = 1;      ///< work done per running time there
  double kilowatts = 0;  ///< of all its devices, times the job's weight
  Time latest_end{};
  int curve = -1;  ///< what an hour costs there, among BoundInput::curves
};

struct BoundJob {
  Time earliest{};
  int width = 1;
  bool split = false;  ///< may run in bits for free; otherwise in one piece
  Duration work{};     ///< at speed 1
  std::vector<BoundChoice> choices;
};

struct BoundInput {
  std::vector<BoundJob> jobs;
  std::vector<PriceCurve> curves;  ///< by site, then others; all with the same steps
  std::vector<int> site_of_pool;
  std::vector<int> devices_in_pool;
  /// Device time that is taken already, by pool.
  struct Taken {
    int pool = -1;
    int width = 1;
    Interval time{};
  };
  std::vector<Taken> taken;
  double constant = 0;  ///< price of what is settled, added to the bound

  const PriceCurve& CurveOf(const BoundChoice& choice) const {
    return curves[static_cast<std::size_t>(choice.curve)];
  }
  const PriceCurve& SiteCurveOf(std::size_t pool) const {
    return curves[static_cast<std::size_t>(site_of_pool[pool])];
  }
};

/// Every job at its cheapest with the devices to itself.
double CapacityFreeBound(const BoundInput& input);

struct RentedBound {
  double price = 0;
  Rents rents;  ///< what the bound was found with
};

/// How much a bound may look at. Places are counted, some 1 ns each.
struct BoundBudget {
  std::int64_t places = 0;
  int most_steps = 1'000;  ///< with some jobs and with all
};

/// The best bound that the budget finds from the rents of an earlier one, or from none.
RentedBound LagrangianBound(const BoundInput& input, const std::optional<Rents>& begin,
                            const BoundBudget& budget);

}  // namespace ebb::plan
