#include "sim/cost.h"

namespace ebb::sim {

core::Cost CostOf(const core::Job& job, const plan::Segment& segment, const core::Cluster& cluster,
                  const plan::SitePrices& prices) {
  const core::DevicePool& pool = cluster.pools[static_cast<std::size_t>(segment.pool)];
  const auto site = static_cast<std::size_t>(pool.site);
  const double facility_kwh = core::EnergyOn(job, pool, segment.time.length()).kwh() *
                              cluster.SiteOf(segment.pool).pue.ratio;
  if (site >= prices.size() || !prices[site]) return {0, 0, facility_kwh};
  return core::CostOver(facility_kwh, segment.time, *prices[site]);
}

core::Cost CostOf(const Simulation& simulation, const core::Cluster& cluster,
                  const plan::SitePrices& prices) {
  core::Cost cost;
  for (std::size_t i = 0; i < simulation.outcomes.size(); ++i)
    for (const plan::Segment& segment : simulation.outcomes[i].segments)
      cost += CostOf(simulation.jobs[i], segment, cluster, prices);
  return cost;
}

bool HasMoney(const plan::SitePrices& prices) { return !CurrencyOf(prices).empty(); }

std::string CurrencyOf(const plan::SitePrices& prices) {
  for (const auto& series : prices)
    if (series && !series->identity().currency.empty()) return series->identity().currency;
  return "";
}

}  // namespace ebb::sim
