#pragma once
// Jobs of one device each as sequences on devices. A dynamic programme over a grid of time finds
// the best begins for given sequences. Each device keeps two tables: the cheapest way to be done
// with the first i jobs by a moment, and to run the others from a moment on. With both, one pass
// over the grid finds the best place for one more job, with all others re-timed.

#include <limits>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

class DeviceChains {
 public:
  struct Spot {
    double price = std::numeric_limits<double>::infinity();  ///< rise of the total price
    std::size_t device = 0, position = 0;
  };
  /// Items by device, in order of time.
  using Sequences = std::vector<std::vector<std::size_t>>;

  /// Requires a complete draft. Jobs in pieces and running jobs stay where the draft has them.
  explicit DeviceChains(const Draft& draft);

  /// False if the draft does not fit the grid of time.
  bool ready() const { return ready_; }
  int nodes() const { return nodes_; }
  std::size_t item_count() const { return items_.size(); }
  bool IsMovable(std::size_t item) const { return items_[item].movable; }
  double Total() const;

  Sequences Get() const;
  void Set(const Sequences& sequences);
  /// Takes an item out of its sequence. Returns its old place.
  Spot Remove(std::size_t item);
  void Insert(std::size_t item, const Spot& spot);
  Spot BestSpot(std::size_t item, Work& work) const;
  /// Writes the begins of all movable items to the draft.
  void WriteTo(Draft& draft) const;

 private:
  using Row = std::vector<double>;
  // A job on one pool, with times in nodes of the grid.
  struct Fit {
    int length = 0;
    int latest = -1;  // latest node at which it may begin; -1: it does not fit on this pool
    Row price;        // price by node of the begin
  };
  struct Item {
    std::size_t task = 0;
    std::size_t piece = 0;  // piece of the task's placement
    bool movable = false;
    std::vector<Fit> fits;  // fits by pool
  };
  struct Device {
    int pool = 0;
    std::vector<std::size_t> items;
    std::vector<Row> before, after;  // before[i]: table of the first i items; after[i]: table of
                                     // the items from i on
    double Total() const { return before.back().back(); }
  };

  int NodeBefore(Time time) const { return static_cast<int>((time - input_.now) / grid_); }
  int NodeAfter(Time time) const {
    return static_cast<int>((time - input_.now + grid_ - Duration{1}) / grid_);
  }
  Time TimeOf(int node) const { return input_.now + grid_ * node; }
  const Fit& FitOn(const Device& device, std::size_t position) const {
    return items_[device.items[position]].fits[static_cast<std::size_t>(device.pool)];
  }
  int PoolOf(std::size_t item) const;

  bool AddItems();
  Item MovableItem(std::size_t index) const;
  Item PinnedItem(std::size_t index, std::size_t piece) const;
  bool Partition();
  void Rebuild(Device& device) const;
  void Update(Device& device, std::size_t position) const;
  void Append(const Row& before, const Fit& fit, Row& result) const;
  void Prepend(const Fit& fit, const Row& after, Row& result) const;
  static double PriceBetween(const Row& before, const Fit& fit, const Row& after);
  void WriteDevice(const Device& device, Draft& draft) const;
  void WriteItem(std::size_t index, int pool, Time begin, Draft& draft) const;

  const Draft& draft_;
  const PlanInput& input_;
  Duration grid_;
  int nodes_ = 0;
  bool ready_ = false;
  std::vector<Item> items_;
  std::vector<Device> devices_;
};

}  // namespace ebb::plan
