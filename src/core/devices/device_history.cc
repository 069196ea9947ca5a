#include "core/devices/device_history.h"

#include <algorithm>
#include <cmath>

namespace ebb::core {
namespace {

constexpr double kFarthestVote = 4;
constexpr double kLargestFactor = 2;
constexpr double kDamping = 5;
constexpr int kFewestJobs = 3;

struct Votes {
  int count = 0;
  double log_sum = 0;
  void Add(double measured, double expected) {
    if (!(measured > 0) || !(expected > 0) || !std::isfinite(measured / expected)) return;
    const double limit = std::log(kFarthestVote);
    log_sum += std::clamp(std::log(measured / expected), -limit, limit);
    ++count;
  }
  double Factor() const { return std::exp(log_sum / (count + kDamping)); }
};

const DevicePool* PoolOf(const Cluster& cluster, const std::string& model) {
  const auto found = std::find_if(cluster.pools.begin(), cluster.pools.end(),
                                  [&](const DevicePool& pool) { return pool.model == model; });
  return found == cluster.pools.end() ? nullptr : &*found;
}

const DeviceExperience* Find(const std::map<std::string, DeviceExperience>& experience,
                             const std::string& model) {
  const auto found = experience.find(model);
  return found == experience.end() ? nullptr : &found->second;
}

double Bounded(double factor) { return std::clamp(factor, 1 / kLargestFactor, kLargestFactor); }

}  // namespace

std::map<std::string, DeviceExperience> Learn(std::span<const DeviceRun> runs,
                                              const Cluster& cluster) {
  std::map<std::string, std::pair<Votes, Votes>> votes;
  for (const DeviceRun& run : runs) {
    const DevicePool* pool = PoolOf(cluster, run.model);
    if (!pool) continue;
    auto& [run_time, power] = votes[run.model];
    run_time.Add(run.run_time_s, run.expected_s / pool->speed);
    power.Add(run.power_w, run.expected_power_w * pool->power_factor);
  }
  std::map<std::string, DeviceExperience> experience;
  for (const auto& [model, both] : votes)
    experience[model] = {both.first.count, both.first.Factor(), both.second.count,
                         both.second.Factor()};
  return experience;
}

void Refine(Cluster& cluster, const std::map<std::string, DeviceExperience>& experience) {
  if (cluster.pools.empty()) return;
  const DeviceExperience* first = Find(experience, cluster.pools.front().model);
  if (!first) return;
  for (DevicePool& pool : cluster.pools) {
    const DeviceExperience* own = Find(experience, pool.model);
    if (!own || pool.count == 0) continue;
    if (std::min(own->jobs, first->jobs) >= kFewestJobs)
      pool.speed *= Bounded(first->run_time / own->run_time);
    if (std::min(own->measured_powers, first->measured_powers) >= kFewestJobs)
      pool.power_factor *= Bounded(own->power / first->power);
  }
}

}  // namespace ebb::core
