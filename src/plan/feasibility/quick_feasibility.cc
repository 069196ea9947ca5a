#include "plan/feasibility/quick_feasibility.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "plan/planner/planner.h"
#include "plan/problem/task.h"

namespace ebb::plan {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

QuickFeasibility::QuickFeasibility(const Problem& queue)
    : origin_(queue.now), least_margin_(kNever) {
  for (const JobView& view : queue.jobs) items_.push_back(ItemOf(queue, view));
  std::sort(items_.begin(), items_.end(), [](const Item& left, const Item& right) {
    return std::tie(left.latest_begin, left.device_hours) <
           std::tie(right.latest_begin, right.device_hours);
  });
  double hours = 0;
  for (const Item& item : items_) {
    before_.push_back(hours);
    margin_.push_back(Margin(item, hours));
    least_margin_ = std::min(least_margin_, margin_.back());
    hours += item.device_hours;
  }
}

// A running job has begun, so it is never late, and its work comes before all other work.
double QuickFeasibility::Margin(const Item& item, double hours_before) {
  if (item.latest_begin == -kNever) return kNever;
  if (item.devices < 1) return -kNever;
  return item.latest_begin - hours_before / item.devices;
}

QuickFeasibility::Item QuickFeasibility::ItemOf(const Problem& queue, const JobView& view) const {
  Problem one = queue;
  one.jobs = {&view, 1};
  const Task task = std::move(MakeTasks(one, PlannerOptions{}.horizon).front());
  Time latest_begin = Time::max();
  Item item{0, 0, 0};
  for (const Choice& choice : task.choices) {
    // Places at other widths are not needed for the job's own width to hold.
    if (choice.width != task.width) continue;
    const int count = queue.cluster->pools[static_cast<std::size_t>(choice.pool)].count;
    item.devices += std::max(0, count - task.width + 1);
    item.device_hours = std::max(item.device_hours, Hours(choice.length) * task.width);
    latest_begin = std::min(latest_begin, choice.LatestBegin());
  }
  const bool runs = task.fixed || task.continues;
  item.latest_begin = runs ? -kNever : Hours(latest_begin - origin_);
  return item;
}

QuickFeasibility::Item QuickFeasibility::ItemOf(const core::Job& job, const core::Cluster& cluster,
                                                Time now) const {
  const JobView view{&job, JobState::kWaiting, job.duration, -1, {}, 0};
  return ItemOf({now, &cluster, {}, {}}, view);
}

std::size_t QuickFeasibility::PlaceOf(const Item& item) const {
  const auto place =
      std::upper_bound(items_.begin(), items_.end(), item, [](const Item& left, const Item& right) {
        return std::tie(left.latest_begin, left.device_hours) <
               std::tie(right.latest_begin, right.device_hours);
      });
  return static_cast<std::size_t>(place - items_.begin());
}

bool QuickFeasibility::Holds(const core::Job& job, const core::Cluster& cluster, Time now) const {
  const double hours = Hours(now - origin_);
  if (hours > least_margin_) return false;
  const Item item = ItemOf(job, cluster, now);
  const std::size_t place = PlaceOf(item);
  const double before = place < before_.size() ? before_[place] : HoursOfAll();
  if (hours > Margin(item, before)) return false;
  for (std::size_t i = place; i < items_.size(); ++i)
    if (hours > margin_[i] - item.device_hours / std::max(1, items_[i].devices)) return false;
  return true;
}

double QuickFeasibility::HoursOfAll() const {
  return items_.empty() ? 0 : before_.back() + items_.back().device_hours;
}

void QuickFeasibility::Add(const core::Job& job, const core::Cluster& cluster, Time now) {
  const Item item = ItemOf(job, cluster, now);
  const std::size_t place = PlaceOf(item);
  const double before = place < before_.size() ? before_[place] : HoursOfAll();
  const auto at = static_cast<std::ptrdiff_t>(place);
  items_.insert(items_.begin() + at, item);
  before_.insert(before_.begin() + at, before);
  margin_.insert(margin_.begin() + at, Margin(item, before));
  least_margin_ = std::min(least_margin_, margin_[place]);
  for (std::size_t i = place + 1; i < items_.size(); ++i) {
    before_[i] += item.device_hours;
    margin_[i] = Margin(items_[i], before_[i]);
    least_margin_ = std::min(least_margin_, margin_[i]);
  }
}

}  // namespace ebb::plan
