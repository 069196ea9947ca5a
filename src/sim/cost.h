#pragma once
// What the electricity of simulated jobs cost: the energy of each stretch with PUE times the price
// then, at the site where it ran (core/cost.h). Apart from the grams, which it does not touch.
// Pure.

#include "core/cost.h"
#include "sim/simulation.h"

namespace ebb::sim {

/// Of one stretch of a job.
core::Cost CostOf(const core::Job& job, const plan::Segment& segment, const core::Cluster& cluster,
                  const plan::SitePrices& prices);

/// Of all jobs of a simulation. `prices` as cluster.sites; a site without prices has none that is
/// known.
core::Cost CostOf(const Simulation& simulation, const core::Cluster& cluster,
                  const plan::SitePrices& prices);

/// Whether any site has prices in a currency.
bool HasMoney(const plan::SitePrices& prices);
/// That currency.
std::string CurrencyOf(const plan::SitePrices& prices);

}  // namespace ebb::sim
