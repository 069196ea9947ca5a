#pragma once
// The cost of the electricity of simulated jobs: the energy of each stretch with PUE, times the
// price at that time, at the site where the stretch ran (core/ledger/cost.h). The network between
// sites is on no site's bill. The cost is separate from the grams and does not affect them. Pure.

#include <span>

#include "core/ledger/cost.h"
#include "sim/simulation.h"

namespace ebb::sim {

/// The cost of a job that has run in these stretches.
core::Cost CostOf(const core::Job& job, std::span<const plan::Segment> segments,
                  const core::Cluster& cluster, const plan::SitePrices& prices);

/// The cost of all jobs of a simulation. `prices` are in the order of cluster.sites; a site without
/// prices has unknown costs.
core::Cost CostOf(const Simulation& simulation, const core::Cluster& cluster,
                  const plan::SitePrices& prices);

/// True if any site has prices in a currency.
bool HasMoney(const plan::SitePrices& prices);
/// The currency of the sites' prices.
std::string CurrencyOf(const plan::SitePrices& prices);

}  // namespace ebb::sim
