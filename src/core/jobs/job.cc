#include "core/jobs/job.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/enum_names.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 3> kOnOutageNames{"wait", "run", "stop"};

bool Contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool Allowed(const std::vector<std::string>& allowed, const std::string& name) {
  return allowed.empty() || Contains(allowed, name);
}

bool MayHoldDataOf(const Site& site, const Job& job) {
  return std::all_of(job.data.begin(), job.data.end(), [&](const std::string& label) {
    return Allowed(site.allowed_data, label) && !Contains(site.forbidden_data, label);
  });
}

const ModelOverride* OverrideFor(const Job& job, const DevicePool& pool) {
  for (const ModelOverride& entry : job.overrides)
    if (entry.model == pool.model) return &entry;
  return nullptr;
}

}  // namespace

std::string_view Name(OnOutage on_outage) {
  return kOnOutageNames[static_cast<std::size_t>(on_outage)];
}
std::optional<OnOutage> OnOutageFromName(std::string_view name) {
  return EnumFromName<OnOutage>(kOnOutageNames, name);
}
std::vector<std::string> OnOutageNames() { return {kOnOutageNames.begin(), kOnOutageNames.end()}; }

bool Fits(const Job& job, const Cluster& cluster, int pool) {
  const DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  const Site& site = cluster.SiteOf(pool);
  return job.devices <= devices.count && Allowed(job.models, devices.model) &&
         Allowed(job.sites, site.name) && !Contains(job.forbidden_sites, site.name) &&
         MayHoldDataOf(site, job);
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
