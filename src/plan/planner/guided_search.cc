#include "plan/planner/guided_search.h"

#include <utility>
#include <vector>

#include "plan/planner/local_search.h"

namespace ebb::plan {
namespace {

// Facility kilowatts per device, averaged over the device-hours to run.
double KilowattsPerDevice(const PlanInput& input) {
  double energy = 0, device_hours = 0;
  for (const Task& task : input.tasks) {
    if (task.choices.empty()) continue;
    const Choice& choice = task.choices.front();
    energy += choice.kilowatts * Hours(choice.length);
    device_hours += task.width * Hours(choice.length);
  }
  return device_hours > 0 ? energy / device_hours : 0;
}

// The same input with a curve of its own for every pool: price plus rent.
PlanInput WithRents(const PlanInput& input, const RentedBound& bound) {
  PlanInput rented = input;
  rented.curves.clear();
  const double kilowatts = KilowattsPerDevice(input);
  for (std::size_t pool = 0; pool < input.devices_in_pool.size(); ++pool) {
    const PriceCurve& curve = input.CurveOf(static_cast<int>(pool));
    std::vector<double> prices;
    for (std::size_t i = 0; i < curve.size(); ++i)
      prices.push_back(curve.PriceOf(i) + bound.rents[pool][i] / kilowatts);
    rented.curves.emplace_back(curve.begin(), curve.step(), std::move(prices));
    rented.site_of_pool[pool] = static_cast<int>(pool);
  }
  return rented;
}

// The same placements under another input's prices.
Draft Repriced(const Draft& draft, const PlanInput& input) {
  Draft repriced(input);
  std::vector<std::pair<std::size_t, Placement>> placements;
  for (std::size_t i = 0; i < input.tasks.size(); ++i) {
    const Task& task = input.tasks[i];
    if (task.fixed || !draft.IsPlaced(i)) continue;
    Placement placement = draft.PlacementOf(i);
    placement.cost = input.CostOf(task, task.choices[static_cast<std::size_t>(placement.choice)],
                                  placement.pieces);
    placements.emplace_back(i, std::move(placement));
  }
  if (!repriced.PlaceAll(placements))
    for (auto& [index, placement] : placements) repriced.Place(index, std::move(placement));
  return repriced;
}

}  // namespace

void MoveUnderRents(Draft& draft, const RentedBound& bound, const SearchOptions& options,
                    Work& work) {
  if (bound.rents.empty() || KilowattsPerDevice(draft.input()) <= 0) return;
  const PlanInput rented = WithRents(draft.input(), bound);
  Draft guided = Repriced(draft, rented);
  MoveEach(guided, options, work);
  Draft back = Repriced(guided, draft.input());
  MoveEach(back, options, work);
  if (Lower(back.Total(), draft.Total())) draft = std::move(back);
}

}  // namespace ebb::plan
