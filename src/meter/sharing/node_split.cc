#include "meter/sharing/node_split.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "meter/sharing/idle_meter.h"

namespace ebb::meter {
namespace {

// Usage is kept for this long. The energy of a counter that could not be read for longer is divided
// by the usage of this time only.
constexpr std::chrono::minutes kRemembered{10};
constexpr double kHalf = 0.5;

double InSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double SumOf(const std::map<std::string, double>& parts) {
  double sum = 0;
  for (const auto& [pod, part] : parts) sum += part;
  return sum;
}

void AddTo(std::map<std::string, double>& sums, const std::map<std::string, double>& more) {
  for (const auto& [key, value] : more) sums[key] += value;
}

void JoinTo(core::DeviceEnergy& device, const std::string& pod, Energy energy, bool shared) {
  const auto found = std::ranges::find(device.pods, pod, &core::PodEnergy::pod);
  core::PodEnergy& sum =
      found == device.pods.end() ? device.pods.emplace_back(core::PodEnergy{pod, {}}) : *found;
  sum.energy += energy;
  sum.shared |= shared;
}

// Gives the CPU time that the classes counted, beyond the pods that are still there, to the pods
// that are gone.
void GiveToGone(const PodsUse& before, const PodsUse& now, const PodsInterval& previous,
                PodsInterval& interval) {
  if (!before.cpu_time || !now.cpu_time) return;
  const double beyond = InSeconds(*now.cpu_time - *before.cpu_time) - SumOf(interval.cpu_s);
  if (beyond <= 0) return;
  std::map<std::string, double> rates;
  for (const auto& [pod, use] : before.pods) {
    if (now.pods.contains(pod)) continue;
    const auto rate = previous.cpu_s.find(pod);
    rates[pod] = rate == previous.cpu_s.end() ? 0 : rate->second;
  }
  if (rates.empty()) {
    interval.lost_cpu_s = beyond;
    return;
  }
  const double all = SumOf(rates);
  for (const auto& [pod, rate] : rates)
    interval.cpu_s[pod] += beyond * (all > 0 ? rate / all : 1 / static_cast<double>(rates.size()));
}

}  // namespace

PodsInterval Between(const PodsUse& before, const PodsUse& now, const PodsInterval& previous,
                     Interval wall) {
  PodsInterval interval;
  interval.wall = wall;
  const double seconds = Seconds(wall.length());
  for (const auto& [pod, use] : now.pods) {
    const auto last = before.pods.find(pod);
    const bool is_new = last == before.pods.end();
    const auto grown = is_new ? use.cpu_time : use.cpu_time - last->second.cpu_time;
    if (grown > std::chrono::nanoseconds{}) interval.cpu_s[pod] = InSeconds(grown);
    if (!use.memory_bytes) continue;
    const double at_begin = is_new ? 0 : last->second.memory_bytes.value_or(*use.memory_bytes);
    interval.memory_byte_s[pod] = kHalf * (at_begin + *use.memory_bytes) * seconds;
  }
  for (const auto& [pod, use] : before.pods)
    if (!now.pods.contains(pod) && use.memory_bytes)
      interval.memory_byte_s[pod] = kHalf * *use.memory_bytes * seconds;
  GiveToGone(before, now, previous, interval);
  return interval;
}

void AddHolders(const GpuHolders& before, const GpuHolders& now, PodsInterval& interval) {
  for (const GpuHolders* holders : {&before, &now})
    for (const auto& [device, pods] : *holders) {
      for (const auto& [pod, part] : pods)
        interval.gpu_s[device][pod] += kHalf * part * Seconds(interval.wall.length());
      if (pods.size() > 1) interval.shared_gpus.insert(device);
    }
}

void NodeSplit::Use(PodsInterval interval) {
  wall_ = {std::min(wall_.begin, interval.wall.begin), std::max(wall_.end, interval.wall.end)};
  while (!intervals_.empty() && intervals_.front().wall.end < interval.wall.end - kRemembered)
    intervals_.pop_front();
  intervals_.push_back(std::move(interval));
}

PodsInterval NodeSplit::Over(Interval wall) const {
  PodsInterval sum;
  sum.wall = wall;
  for (const PodsInterval& interval : intervals_) {
    if (interval.wall.end <= wall.begin || interval.wall.begin >= wall.end) continue;
    AddTo(sum.cpu_s, interval.cpu_s);
    AddTo(sum.memory_byte_s, interval.memory_byte_s);
    for (const auto& [device, pods] : interval.gpu_s) AddTo(sum.gpu_s[device], pods);
    sum.shared_gpus.insert(interval.shared_gpus.begin(), interval.shared_gpus.end());
    sum.busy_s += interval.busy_s;
    sum.used_byte_s += interval.used_byte_s;
  }
  return sum;
}

// Each part ends at a rounded sum, so that rounding is never more than half a microjoule in all.
void NodeSplit::Divide(Energy energy, const std::map<std::string, double>& used, double whole,
                       bool shared, Energy& rest, core::DeviceEnergy& device) const {
  whole = std::max(whole, SumOf(used));
  Energy given;
  double sum = 0;
  for (const auto& [pod, part] : used) {
    if (whole <= 0) break;
    sum += part;
    const double share = std::min(1.0, sum / whole);
    const Energy upto =
        Energy::Microjoules(std::llround(share * static_cast<double>(energy.microjoules())));
    if (upto > given) JoinTo(device, pod, upto - given, shared);
    given = std::max(given, upto);
  }
  rest += energy - given;
}

void NodeSplit::Add(const std::vector<core::EnergyReading>& readings) {
  for (const core::EnergyReading& reading : readings) {
    const bool is_idle = reading.device.starts_with(kIdlePrefix);
    const std::string name =
        reading.device.substr((is_idle ? kIdlePrefix : kUnattributedPrefix).size());
    const auto [found, is_new] = open_.try_emplace(name);
    core::DeviceEnergy& device = found->second;
    if (is_new) device = {name, reading.component, reading.source, reading.wall, {}, {}, {}};
    device.wall = {std::min(device.wall.begin, reading.wall.begin),
                   std::max(device.wall.end, reading.wall.end)};
    const PodsInterval use = Over(reading.wall);
    switch (reading.component) {
      case core::Component::kCpu:
        is_idle ? void(device.idle += reading.energy)
                : Divide(reading.energy, use.cpu_s, use.busy_s, false, device.unattributed, device);
        break;
      case core::Component::kRam:
        is_idle ? void(device.idle += reading.energy)
                : Divide(reading.energy, use.memory_byte_s, use.used_byte_s, false,
                         device.unattributed, device);
        break;
      case core::Component::kGpu: {
        const auto holders = use.gpu_s.find(name);
        if (holders == use.gpu_s.end())
          device.idle += reading.energy;
        else
          Divide(reading.energy, holders->second, Seconds(reading.wall.length()),
                 use.shared_gpus.contains(name), device.idle, device);
        break;
      }
    }
  }
}

core::NodeRecord NodeSplit::Take() {
  core::NodeRecord record;
  record.wall = wall_;
  for (auto& [name, device] : std::exchange(open_, {})) record.devices.push_back(std::move(device));
  wall_ = {wall_.end, wall_.end};
  return record;
}

}  // namespace ebb::meter
