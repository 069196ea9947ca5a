#include "plan/planner/device_chains.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ebb::plan {
namespace {

constexpr Duration kFinest = std::chrono::minutes{5};
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The coarsest grid on which all lengths and price steps are whole, but none finer than kFinest.
Duration GridOf(const PlanInput& input) {
  const PriceCurve& curve = input.curves.front();
  Duration::rep grid = std::gcd(curve.step().count(), (input.now - curve.begin()).count());
  for (const Task& task : input.tasks)
    for (const Choice& choice : task.choices)
      if (!task.fixed) grid = std::gcd(grid, choice.length.count());
  return std::max(Duration{grid}, kFinest);
}

}  // namespace

DeviceChains::DeviceChains(const Draft& draft)
    : draft_(draft), input_(draft.input()), grid_(GridOf(input_)) {
  Time end = input_.now;
  for (std::size_t i = 0; i < input_.tasks.size(); ++i) {
    end = std::max(end, draft.PlacementOf(i).end());
    for (const Choice& choice : input_.tasks[i].choices)
      end = std::max(end, std::min(choice.latest_end, input_.curves.front().end()));
  }
  nodes_ = NodeAfter(end) + 1;
  for (std::size_t pool = 0; pool < input_.devices_in_pool.size(); ++pool)
    for (int i = 0; i < input_.devices_in_pool[pool]; ++i)
      devices_.push_back({static_cast<int>(pool), {}, {}, {}});
  ready_ = AddItems();
}

double DeviceChains::Total() const {
  double total = 0;
  for (const Device& device : devices_) total += device.Total();
  return total;
}

DeviceChains::Sequences DeviceChains::Get() const {
  Sequences sequences;
  for (const Device& device : devices_) sequences.push_back(device.items);
  return sequences;
}

void DeviceChains::Set(const Sequences& sequences) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (devices_[d].items == sequences[d]) continue;
    devices_[d].items = sequences[d];
    Rebuild(devices_[d]);
  }
}

DeviceChains::Spot DeviceChains::Remove(std::size_t item) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    auto& items = devices_[d].items;
    const auto at = std::find(items.begin(), items.end(), item);
    if (at == items.end()) continue;
    const auto position = static_cast<std::size_t>(at - items.begin());
    items.erase(at);
    Update(devices_[d], position);
    return {0, d, position};
  }
  return {};
}

void DeviceChains::Insert(std::size_t item, const Spot& spot) {
  Device& device = devices_[spot.device];
  device.items.insert(device.items.begin() + static_cast<std::ptrdiff_t>(spot.position), item);
  Update(device, spot.position);
}

DeviceChains::Spot DeviceChains::BestSpot(std::size_t item, Work& work) const {
  Spot best;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const Device& device = devices_[d];
    const Fit& fit = items_[item].fits[static_cast<std::size_t>(device.pool)];
    if (fit.latest < 0) continue;
    const double total = device.Total();
    for (std::size_t i = 0; i <= device.items.size(); ++i) {
      work.done += nodes_ / 16;
      const double price = PriceBetween(device.before[i], fit, device.after[i]) - total;
      if (price < best.price - 1e-9 * std::abs(best.price) || best.price == kInfinite)
        best = {price, d, i};
    }
  }
  return best;
}

void DeviceChains::WriteTo(Draft& draft) const {
  for (const Item& item : items_)
    if (item.movable) draft.Remove(item.task);
  for (const Device& device : devices_) WriteDevice(device, draft);
}

bool DeviceChains::AddItems() {
  for (std::size_t i = 0; i < input_.tasks.size(); ++i) {
    const Task& task = input_.tasks[i];
    const Placement& placed = draft_.PlacementOf(i);
    const bool movable = !task.fixed && !task.continues && placed.pieces.size() == 1;
    for (std::size_t piece = 0; piece < placed.pieces.size(); ++piece)
      items_.push_back(movable ? MovableItem(i) : PinnedItem(i, piece));
  }
  return Partition();
}

DeviceChains::Item DeviceChains::MovableItem(std::size_t index) const {
  Item item{index, 0, true, std::vector<Fit>(input_.devices_in_pool.size())};
  for (const Choice& choice : input_.tasks[index].choices) {
    Fit& fit = item.fits[static_cast<std::size_t>(choice.pool)];
    const PriceCurve& curve = input_.CurveOf(choice);
    fit.length = NodeAfter(input_.now + choice.length);
    const Time last = std::min(choice.latest_end, curve.end()) - choice.length;
    fit.latest = last < input_.now ? -1 : std::min(NodeBefore(last), nodes_ - 1 - fit.length);
    for (int node = 0; node <= fit.latest; ++node)
      fit.price.push_back(
          input_.tasks[index].weight *
          (choice.kilowatts * curve.Integral(TimeOf(node), TimeOf(node) + choice.length) +
           input_.MovePrice(choice, curve, TimeOf(node))));
  }
  return item;
}

DeviceChains::Item DeviceChains::PinnedItem(std::size_t index, std::size_t at) const {
  Item item{index, at, false, std::vector<Fit>(input_.devices_in_pool.size())};
  const Placement& placed = draft_.PlacementOf(index);
  const Choice& choice = input_.tasks[index].choices[placed.ChoiceOf(at)];
  const Interval& piece = placed.pieces[at];
  Fit& fit = item.fits[static_cast<std::size_t>(choice.pool)];
  fit.latest = NodeBefore(piece.begin);
  fit.length = NodeAfter(piece.end) - fit.latest;
  fit.price.assign(static_cast<std::size_t>(fit.latest) + 1, kInfinite);
  fit.price.back() = 0;
  return item;
}

// Gives every item a device such that no items overlap in the draft, in order of begin.
bool DeviceChains::Partition() {
  std::vector<std::pair<Time, std::size_t>> order;
  std::vector<Interval> times;
  std::size_t next = 0;
  for (std::size_t i = 0; i < input_.tasks.size(); ++i)
    for (const Interval& piece : draft_.PlacementOf(i).pieces) {
      times.push_back(piece);
      order.emplace_back(piece.begin, next++);
    }
  std::sort(order.begin(), order.end());
  std::vector<Time> free_from(devices_.size(), input_.now);
  for (const auto& [begin, item] : order) {
    const int pool = PoolOf(item);
    std::size_t d = 0;
    while (d < devices_.size() && (devices_[d].pool != pool || free_from[d] > begin)) ++d;
    if (d == devices_.size()) return false;
    free_from[d] = times[item].end;
    devices_[d].items.push_back(item);
  }
  for (Device& device : devices_) Rebuild(device);
  return Total() < kInfinite;
}

int DeviceChains::PoolOf(std::size_t item) const {
  const std::size_t task = items_[item].task;
  const std::size_t choice = draft_.PlacementOf(task).ChoiceOf(items_[item].piece);
  return input_.tasks[task].choices[choice].pool;
}

void DeviceChains::Rebuild(Device& device) const {
  const std::size_t count = device.items.size();
  device.after.assign(count + 1, Row(static_cast<std::size_t>(nodes_), 0.0));
  for (std::size_t i = count; i-- > 0;)
    Prepend(FitOn(device, i), device.after[i + 1], device.after[i]);
  Update(device, 0);
}

// Updates both tables after one item came or went at `position`; the rows behind it move along.
void DeviceChains::Update(Device& device, std::size_t position) const {
  const std::size_t count = device.items.size();
  const auto nodes = static_cast<std::size_t>(nodes_);
  device.before.resize(count + 1);
  device.before[0].assign(nodes, 0);
  for (std::size_t i = position; i < count; ++i)
    Append(device.before[i], FitOn(device, i), device.before[i + 1]);
  if (device.after.size() < count + 1)
    device.after.insert(device.after.begin(), count + 1 - device.after.size(), Row{});
  else
    device.after.erase(device.after.begin(),
                       device.after.end() - static_cast<std::ptrdiff_t>(count + 1));
  device.after[count].assign(nodes, 0);
  for (std::size_t i = std::min(position + 1, count); i-- > 0;)
    Prepend(FitOn(device, i), device.after[i + 1], device.after[i]);
}

void DeviceChains::Append(const Row& before, const Fit& fit, Row& result) const {
  result.assign(static_cast<std::size_t>(nodes_), kInfinite);
  for (int node = 0; node <= fit.latest; ++node) {
    const auto from = static_cast<std::size_t>(node);
    result[from + static_cast<std::size_t>(fit.length)] = before[from] + fit.price[from];
  }
  for (std::size_t i = 1; i < result.size(); ++i) result[i] = std::min(result[i], result[i - 1]);
}

void DeviceChains::Prepend(const Fit& fit, const Row& after, Row& result) const {
  result.assign(static_cast<std::size_t>(nodes_), kInfinite);
  for (int node = 0; node <= fit.latest; ++node) {
    const auto from = static_cast<std::size_t>(node);
    result[from] = fit.price[from] + after[from + static_cast<std::size_t>(fit.length)];
  }
  for (std::size_t i = result.size() - 1; i-- > 0;) result[i] = std::min(result[i], result[i + 1]);
}

// Writes the begins from the first item on: each is the earliest that keeps the device's total.
void DeviceChains::WriteDevice(const Device& device, Draft& draft) const {
  std::size_t free_from = 0;
  for (std::size_t i = 0; i < device.items.size(); ++i) {
    const Fit& fit = FitOn(device, i);
    const Row& after = device.after[i + 1];
    std::size_t best = free_from;
    double price = kInfinite;
    for (std::size_t node = free_from; static_cast<int>(node) <= fit.latest; ++node) {
      const double here = fit.price[node] + after[node + static_cast<std::size_t>(fit.length)];
      if (here < price - 1e-12 * std::abs(price) || price == kInfinite) {
        price = here;
        best = node;
      }
    }
    free_from = best + static_cast<std::size_t>(fit.length);
    const Item& item = items_[device.items[i]];
    if (item.movable) WriteItem(item.task, device.pool, TimeOf(static_cast<int>(best)), draft);
  }
}

void DeviceChains::WriteItem(std::size_t index, int pool, Time begin, Draft& draft) const {
  const Task& task = input_.tasks[index];
  Placement placement;
  while (task.choices[static_cast<std::size_t>(++placement.choice)].pool != pool) {
  }
  const Choice& choice = task.choices[static_cast<std::size_t>(placement.choice)];
  placement.pieces = {{begin, begin + choice.length}};
  placement.cost = input_.CostOf(task, choice, placement.pieces);
  draft.Place(index, std::move(placement));
}

double DeviceChains::PriceBetween(const Row& before, const Fit& fit, const Row& after) {
  const double* end = after.data() + fit.length;
  double best = kInfinite;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(fit.latest); ++i)
    best = std::min(best, before[i] + fit.price[i] + end[i]);
  return best;
}

}  // namespace ebb::plan
