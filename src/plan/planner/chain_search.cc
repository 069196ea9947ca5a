#include "plan/planner/chain_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "plan/planner/device_chains.h"

namespace ebb::plan {
namespace {

constexpr std::size_t kMostJobs = 80;
constexpr int kMostDevices = 16;
constexpr int kMostKicked = 4;

bool IsSuitable(const Draft& draft) {
  const PlanInput& input = draft.input();
  if (input.tasks.size() > kMostJobs || draft.starts().limited()) return false;
  if (std::accumulate(input.devices_in_pool.begin(), input.devices_in_pool.end(), 0) > kMostDevices)
    return false;
  for (std::size_t i = 0; i < input.tasks.size(); ++i)
    if (input.tasks[i].width != 1 || input.tasks[i].elastic || !draft.IsPlaced(i) ||
        (!input.tasks[i].fixed && draft.PlacementOf(i).cost.late > 0))
      return false;
  return true;
}

class IteratedSearch {
 public:
  IteratedSearch(DeviceChains& chains, Work& work) : chains_(chains), work_(work) {
    for (std::size_t i = 0; i < chains.item_count(); ++i)
      if (chains.IsMovable(i)) movable_.push_back(i);
  }

  void Run(std::int64_t budget) {
    if (movable_.empty()) return;
    DeviceChains::Sequences best = chains_.Get();
    double best_total = chains_.Total();
    while (work_.done < budget) {
      Descend(budget);
      const double total = chains_.Total();
      if (total < best_total - 1e-9 * best_total) {
        best_total = total;
        best = chains_.Get();
      } else {
        chains_.Set(best);
      }
      if (!Kick()) chains_.Set(best);
    }
    if (chains_.Total() > best_total) chains_.Set(best);
  }

 private:
  // Moves items one by one until no move helps.
  void Descend(std::int64_t budget) {
    for (std::size_t idle = 0; idle < movable_.size() && work_.done < budget; ++idle) {
      const std::size_t item = movable_[next_++ % movable_.size()];
      const double before = chains_.Total();
      const DeviceChains::Spot old = chains_.Remove(item);
      const DeviceChains::Spot spot = chains_.BestSpot(item, work_);
      const bool better = chains_.Total() + spot.price < before - 1e-9 * before;
      chains_.Insert(item, better ? spot : old);
      if (better) idle = 0;
      work_.done += chains_.nodes();
    }
  }

  // Takes a few items out and puts them back in another order. Returns false if that fails.
  bool Kick() {
    std::vector<std::size_t> kicked;
    const std::size_t count = 2 + random_.Below(kMostKicked - 1);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t item = movable_[random_.Below(movable_.size())];
      if (std::find(kicked.begin(), kicked.end(), item) == kicked.end()) kicked.push_back(item);
    }
    for (const std::size_t item : kicked) chains_.Remove(item);
    for (const std::size_t item : kicked) {
      const DeviceChains::Spot spot = chains_.BestSpot(item, work_);
      if (!std::isfinite(spot.price)) return false;
      chains_.Insert(item, spot);
      work_.done += chains_.nodes();
    }
    return true;
  }

  DeviceChains& chains_;
  Work& work_;
  std::vector<std::size_t> movable_;
  std::size_t next_ = 0;
  Random random_{2};
};

}  // namespace

void ImproveChains(Draft& draft, std::int64_t budget, Work& work) {
  if (!IsSuitable(draft)) return;
  DeviceChains chains(draft);
  if (!chains.ready()) return;
  IteratedSearch(chains, work).Run(budget);
  Draft timed = draft;
  chains.WriteTo(timed);
  if (Lower(timed.Total(), draft.Total())) draft = std::move(timed);
}

}  // namespace ebb::plan
