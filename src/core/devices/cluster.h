#pragma once
// The cluster on which jobs can run: sites with a grid zone and a PUE, and in each site pools of
// like devices. A job of any width runs within one pool: all its devices are of one model at one
// site. Values only.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::core {

struct Site {
  std::string name;
  std::string zone;  ///< grid zone whose signal decides and accounts for this site
  Pue pue;
  std::optional<double> bytes_per_second{};  ///< to and from other sites; absent: 1 Gbit/s
  Duration set_up{};  ///< time from the arrival of a job's files to its start (core/jobs/move.h)
  Energy set_up_energy{};                     ///< energy of that set-up, without PUE
  std::vector<std::string> allowed_data{};    ///< labels of the data that it may hold; empty: any
  std::vector<std::string> forbidden_data{};  ///< labels of the data that it may not hold
  friend bool operator==(const Site&, const Site&) = default;
};

/// `count` devices of one model at one site. Speed and power are relative to the reference device
/// for which a job states its run time and power: on this pool a job takes duration / speed and
/// draws power x power_factor, so its energy is duration x power x power_factor / speed.
struct DevicePool {
  std::string model;  ///< model: "RTX 3090", "cpu"
  int site = 0;       ///< index into Cluster::sites
  int count = 1;
  double speed = 1;
  double power_factor = 1;
  Power idle;    ///< idle power of one device
  int away = 0;  ///< devices beside `count` that are expected back, nobody knows when
  friend bool operator==(const DevicePool&, const DevicePool&) = default;
};

struct Cluster {
  std::vector<Site> sites;
  std::vector<DevicePool> pools;
  /// Energy of the network per byte that moves between sites; absent: see core/jobs/move.h.
  std::optional<double> joules_per_byte{};

  const Site& SiteOf(int pool) const {
    return sites[static_cast<std::size_t>(pools[static_cast<std::size_t>(pool)].site)];
  }
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// The cluster once all devices that are away are back.
inline Cluster WithAway(Cluster cluster) {
  for (DevicePool& pool : cluster.pools) pool.count += std::exchange(pool.away, 0);
  return cluster;
}

}  // namespace ebb::core
