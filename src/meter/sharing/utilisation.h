#pragma once
// How busy a machine and a program were in an interval.

#include <memory>
#include <optional>
#include <vector>

#include "meter/meter.h"

namespace ebb::meter {

/// Mean utilisation over one interval.
struct Utilisation {
  Interval wall;
  /// Percent of all logical processors of the machine, for everything that ran.
  double cpu_percent = 0;
  /// Part of cpu_percent that the process tree used; nothing: it could not be read.
  std::optional<double> tree_cpu_percent;
  double ram_gb = 0;       ///< GiB resident: of the process tree, or in use on the machine
  double gpu_percent = 0;  ///< mean over the metered GPUs; 0 without one
  std::vector<DeviceUtilisation> gpus;  ///< those whose utilisation is known
};

Utilisation UtilisationOf(const IntervalUsage& usage,
                          const std::vector<std::unique_ptr<Meter>>& meters);

/// Mean of utilisation figures weighted by the time that each covers, but for those of the process
/// tree and of single GPUs.
class MeanUtilisation {
 public:
  void Add(const Utilisation& part, double seconds);
  const Utilisation& value() const { return mean_; }

 private:
  Utilisation mean_;
  double seconds_ = 0;
};

}  // namespace ebb::meter
