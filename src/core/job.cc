#include "core/job.h"

#include <algorithm>
#include <cmath>

namespace ebb::core {
namespace {

bool Allowed(const std::vector<std::string>& allowed, const std::string& name) {
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), name) != allowed.end();
}

const ModelOverride* OverrideFor(const Job& job, const DevicePool& pool) {
  for (const ModelOverride& entry : job.overrides)
    if (entry.model == pool.model) return &entry;
  return nullptr;
}

}  // namespace

bool Fits(const Job& job, const Cluster& cluster, int pool) {
  const DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  return job.devices <= devices.count && Allowed(job.models, devices.model) &&
         Allowed(job.sites, cluster.SiteOf(pool).name);
}

double SpeedOn(const Job& job, const DevicePool& pool) {
  const ModelOverride* entry = OverrideFor(job, pool);
  return entry ? entry->speed : pool.speed;
}

Power PowerOn(const Job& job, const DevicePool& pool) {
  const ModelOverride* entry = OverrideFor(job, pool);
  const double factor = entry ? entry->power_factor : pool.power_factor;
  return {job.power.watts * factor * job.devices};
}

Duration TimeOn(const Job& job, const DevicePool& pool, Duration work) {
  const double speed = SpeedOn(job, pool);
  if (speed == 1) return work;
  return Duration{static_cast<Duration::rep>(std::ceil(static_cast<double>(work.count()) / speed))};
}

Energy EnergyOn(const Job& job, const DevicePool& pool, Duration running) {
  return Energy::Joules(PowerOn(job, pool).watts * Seconds(running));
}

std::optional<Time> LatestStartOn(const Job& job, const DevicePool& pool, Duration work) {
  std::optional<Time> latest = job.start_by;
  if (job.finish_by) {
    const Time by_end = *job.finish_by - TimeOn(job, pool, work);
    latest = latest ? std::min(*latest, by_end) : by_end;
  }
  return latest;
}

}  // namespace ebb::core
