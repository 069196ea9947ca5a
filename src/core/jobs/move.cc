#include "core/jobs/move.h"

#include <algorithm>
#include <cmath>

#include "core/jobs/widths.h"

namespace ebb::core {
namespace {

int FindSite(const Cluster& cluster, const std::string& name) {
  for (std::size_t i = 0; i < cluster.sites.size(); ++i)
    if (cluster.sites[i].name == name) return static_cast<int>(i);
  return -1;
}

double BytesPerSecond(const Cluster& cluster, int site) {
  return cluster.sites[static_cast<std::size_t>(site)].bytes_per_second.value_or(kBytesPerSecond);
}

Energy PartOf(Energy energy, Duration part, Duration whole) {
  if (part >= whole) return energy;
  return Energy::Joules(energy.joules() * (Seconds(part) / Seconds(whole)));
}

}  // namespace

Move MoveTo(const Job& job, const Cluster& cluster, int last_site, int pool) {
  if (last_site < 0 && job.home.empty()) return {};
  const DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  const int home = job.home.empty() ? -1 : FindSite(cluster, job.home);
  const int from = last_site >= 0 ? last_site : home;
  if (from < 0 || from == devices.site) return {};
  // Where a job has run before, its files are; at its home they lie all the time.
  double bytes = last_site >= 0 ? static_cast<double>(job.checkpoint_bytes) : 0;
  if (home >= 0 && home != devices.site) bytes += static_cast<double>(job.file_bytes);
  const Site& site = cluster.SiteOf(pool);
  const double rate =
      std::min(BytesPerSecond(cluster, from), BytesPerSecond(cluster, devices.site));
  const double seconds = std::ceil(bytes / rate + Seconds(site.set_up));
  Move move;
  if (seconds == 0 && site.set_up_energy == Energy{}) return move;
  move.from = from;
  move.takes = std::max(Duration{std::chrono::seconds{1}}, DurationFromSeconds(seconds));
  move.network = Energy::Joules(bytes * cluster.joules_per_byte.value_or(kJoulesPerByte));
  move.there =
      site.set_up_energy + Energy::Joules(devices.idle.watts * job.devices * Seconds(move.takes));
  return move;
}

Duration HeldOn(const Job& job, const Cluster& cluster, int last_site, int pool, Duration work) {
  return HeldOn(job, cluster, last_site, pool, job.devices, work);
}

Duration HeldOn(const Job& job, const Cluster& cluster, int last_site, int pool, int devices,
                Duration work) {
  return MoveTo(job, cluster, last_site, pool).takes +
         TimeOn(job, cluster.pools[static_cast<std::size_t>(pool)], devices, work);
}

HeldEnergy EnergyOver(const Job& job, const Cluster& cluster, int last_site, int pool,
                      Interval held) {
  const DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  const Move move = MoveTo(job, cluster, last_site, pool);
  const Time begun = std::min(held.begin + move.takes, held.end);
  const Interval moving{held.begin, begun}, running{begun, held.end};
  const Pue pue = cluster.SiteOf(pool).pue;
  HeldEnergy parts;
  parts.network = {PartOf(move.network, moving.length(), move.takes), moving,
                   std::max(move.from, 0), Pue{}};
  parts.set_up = {PartOf(move.there, moving.length(), move.takes), moving, devices.site, pue};
  parts.run = {EnergyOn(job, devices, running.length()), running, devices.site, pue};
  return parts;
}

}  // namespace ebb::core
