#include "local/kept_pools.h"

#include <algorithm>

namespace ebb::local {

void KeepPools(const core::Cluster& before, core::Cluster& cluster,
               std::vector<std::vector<std::string>>& gpus) {
  gpus.resize(cluster.pools.size());
  std::vector<core::DevicePool> pools = before.pools;
  std::vector<std::vector<std::string>> names(pools.size());
  for (core::DevicePool& pool : pools) {
    // Slots of another site are away until it has been looked at (DeviceRegister::UseSites). GPUs
    // there have names, and are found by them.
    pool.away = pool.site > 0 && pool.model == "cpu" ? pool.count + pool.away : 0;
    pool.count = 0;
  }
  for (std::size_t i = 0; i < cluster.pools.size(); ++i) {
    const core::DevicePool& now = cluster.pools[i];
    const auto same = std::find_if(pools.begin(), pools.end(), [&](const core::DevicePool& pool) {
      return pool.model == now.model && pool.site == now.site;
    });
    if (same == pools.end()) {
      pools.push_back(now);
      names.push_back(std::move(gpus[i]));
    } else {
      *same = now;
      names[static_cast<std::size_t>(same - pools.begin())] = std::move(gpus[i]);
    }
  }
  cluster.pools = std::move(pools);
  for (std::size_t site = cluster.sites.size(); site < before.sites.size(); ++site)
    cluster.sites.push_back(before.sites[site]);
  gpus = std::move(names);
}

}  // namespace ebb::local
