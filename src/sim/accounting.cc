#include "sim/accounting.h"

#include <algorithm>

namespace ebb::sim {
namespace {

Use Minus(Use a, const Use& b) {
  a.energy -= b.energy;
  a.energy_without_intensity -= b.energy_without_intensity;
  a.emissions = a.emissions - b.emissions;
  return a;
}

}  // namespace

Use& Use::operator+=(const Use& other) {
  energy += other.energy;
  energy_without_intensity += other.energy_without_intensity;
  emissions += other.emissions;
  return *this;
}

Use UseOver(Energy energy, Interval window, Pue pue, const TrueIntensity& truth) {
  Use use;
  use.energy = energy;
  const auto mean = truth.Mean(window);
  const Energy known = !mean                ? Energy{}
                       : mean->coverage < 1 ? Energy::Joules(energy.joules() * mean->coverage)
                                            : energy;
  use.energy_without_intensity = energy - known;
  if (mean) use.emissions = EmissionsOf(known, pue, mean->intensity);
  return use;
}

void Account(const core::Job& job, const core::Cluster& cluster, Truth truth, JobOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.segments.size(); ++i) {
    const plan::Segment& segment = outcome.segments[i];
    const auto& pool = cluster.pools[static_cast<std::size_t>(segment.pool)];
    const Duration running = segment.time.length();
    outcome.use +=
        UseOver(core::EnergyOn(job, pool, running), segment.time, cluster.SiteOf(segment.pool).pue,
                truth[static_cast<std::size_t>(pool.site)]);
    if (i > 0) outcome.pause_energy += core::EnergyOn(job, pool, std::min(job.pause_cost, running));
  }
  outcome.pauses = std::max(0, static_cast<int>(outcome.segments.size()) - 1);
}

Use IdleUse(const core::Cluster& cluster, Truth truth, std::span<const core::Job> jobs,
            std::span<const JobOutcome> outcomes, Interval window) {
  Use idle;
  const auto at_idle = [&](int index, double devices, Interval time) {
    const core::DevicePool& pool = cluster.pools[static_cast<std::size_t>(index)];
    const Energy energy = Energy::Joules(pool.idle.watts * devices * Seconds(time.length()));
    return UseOver(energy, time, cluster.SiteOf(index).pue,
                   truth[static_cast<std::size_t>(pool.site)]);
  };
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool)
    idle += at_idle(static_cast<int>(pool), cluster.pools[pool].count, window);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    for (const plan::Segment& segment : outcomes[i].segments)
      idle = Minus(idle, at_idle(segment.pool, jobs[i].devices, Overlap(segment.time, window)));
  return idle;
}

}  // namespace ebb::sim
