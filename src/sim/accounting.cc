#include "sim/accounting.h"

#include <algorithm>

#include "core/jobs/widths.h"

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

core::HeldEnergy EnergyOfSegment(const core::Job& job, const core::Cluster& cluster,
                                 std::span<const plan::Segment> segments, std::size_t index) {
  const auto site_of = [&](std::size_t i) {
    return cluster.pools[static_cast<std::size_t>(segments[i].pool)].site;
  };
  const plan::Segment& segment = segments[index];
  const int last_site = index > 0 ? site_of(index - 1) : -1;
  if (segment.devices == 0)
    return core::EnergyOver(job, cluster, last_site, segment.pool, segment.time);
  core::Job at_width = job;
  at_width.devices = segment.devices;
  return core::EnergyOver(at_width, cluster, last_site, segment.pool, segment.time);
}

void Account(const core::Job& job, const core::Cluster& cluster, Truth truth, JobOutcome& outcome) {
  const auto use_of = [&](const core::EnergyPart& part) {
    return UseOver(part.energy, part.time, part.pue, truth[static_cast<std::size_t>(part.site)]);
  };
  for (std::size_t i = 0; i < outcome.segments.size(); ++i) {
    const core::HeldEnergy energy = EnergyOfSegment(job, cluster, outcome.segments, i);
    const auto& pool = cluster.pools[static_cast<std::size_t>(outcome.segments[i].pool)];
    outcome.use += use_of(energy.run);
    if (i > 0)
      outcome.pause_energy += Energy::Joules(
          core::PowerOn(job, pool, core::WidthFrom(job, outcome.segments[i].devices)).watts *
          Seconds(std::min(job.pause_cost, energy.run.time.length())));
    if (energy.set_up.time.length() == Duration::zero()) continue;
    if (i == 0) outcome.first_move = energy.set_up.time.length();
    ++outcome.moves;
    for (const core::EnergyPart& part : {energy.network, energy.set_up})
      outcome.move_use += use_of(part);
  }
  outcome.use += outcome.move_use;
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
      idle = Minus(idle, at_idle(segment.pool, core::WidthFrom(jobs[i], segment.devices),
                                 Overlap(segment.time, window)));
  return idle;
}

}  // namespace ebb::sim
