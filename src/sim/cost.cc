#include "sim/cost.h"

namespace ebb::sim {

namespace {

core::Cost CostOf(const core::EnergyPart& part, const plan::SitePrices& prices) {
  const auto site = static_cast<std::size_t>(part.site);
  const double facility_kwh = part.energy.kwh() * part.pue.ratio;
  if (site >= prices.size() || !prices[site]) return {0, 0, facility_kwh};
  return core::CostOver(facility_kwh, part.time, *prices[site]);
}

}  // namespace

core::Cost CostOf(const core::Job& job, std::span<const plan::Segment> segments,
                  const core::Cluster& cluster, const plan::SitePrices& prices) {
  core::Cost cost;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const core::HeldEnergy energy = EnergyOfSegment(job, cluster, segments, i);
    for (const core::EnergyPart& part : {energy.run, energy.set_up})
      if (part.energy > Energy{}) cost += CostOf(part, prices);
  }
  return cost;
}

core::Cost CostOf(const Simulation& simulation, const core::Cluster& cluster,
                  const plan::SitePrices& prices) {
  core::Cost cost;
  for (std::size_t i = 0; i < simulation.outcomes.size(); ++i)
    cost += CostOf(simulation.jobs[i], simulation.outcomes[i].segments, cluster, prices);
  return cost;
}

bool HasMoney(const plan::SitePrices& prices) { return !CurrencyOf(prices).empty(); }

std::string CurrencyOf(const plan::SitePrices& prices) {
  for (const auto& series : prices)
    if (series && !series->identity().currency.empty()) return series->identity().currency;
  return "";
}

}  // namespace ebb::sim
