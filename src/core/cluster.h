#pragma once
// Where jobs can run: sites with a grid zone and a PUE, and in each site pools of like devices. A
// job of any width runs within one pool: all its devices are of one model at one site. Values only.

#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::core {

struct Site {
  std::string name;
  std::string zone;  ///< whose signal decides and accounts for this site
  Pue pue;
  friend bool operator==(const Site&, const Site&) = default;
};

/// `count` devices of one model at one site. Speed and power are relative to the reference device
/// that a job's run time and power are stated for: on this pool a job takes duration / speed and
/// draws power x power_factor, so its energy is duration x power x power_factor / speed.
struct DevicePool {
  std::string model;  ///< "RTX 3090", "cpu"
  int site = 0;       ///< index into Cluster::sites
  int count = 1;
  double speed = 1;
  double power_factor = 1;
  Power idle;    ///< of one device that runs nothing
  int away = 0;  ///< beside `count`: expected back, and nobody knows when
  friend bool operator==(const DevicePool&, const DevicePool&) = default;
};

struct Cluster {
  std::vector<Site> sites;
  std::vector<DevicePool> pools;

  const Site& SiteOf(int pool) const {
    return sites[static_cast<std::size_t>(pools[static_cast<std::size_t>(pool)].site)];
  }
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// As it is once all that is away is back.
inline Cluster WithAway(Cluster cluster) {
  for (DevicePool& pool : cluster.pools) pool.count += std::exchange(pool.away, 0);
  return cluster;
}

}  // namespace ebb::core
