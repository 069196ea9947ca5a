#pragma once
// How busy the machine and a program were.

#include <memory>
#include <optional>
#include <vector>

#include "meter/meter.h"

namespace ebb::meter {

/// Over one interval.
struct Utilisation {
  Interval wall;
  double cpu_percent = 0;       ///< of all logical processors of the machine, everything running
  double tree_cpu_percent = 0;  ///< the part of it used by the process tree
  double ram_gb = 0;            ///< GiB resident: of the process tree, or in use on the machine
  double gpu_percent = 0;       ///< mean over the metered GPUs; 0 without one
};

Utilisation UtilisationOf(const IntervalUsage& usage,
                          const std::vector<std::unique_ptr<Meter>>& meters);

/// Mean of utilisation figures weighted by the time each stood for.
class MeanUtilisation {
 public:
  void Add(const Utilisation& part, double seconds);
  const Utilisation& value() const { return mean_; }

 private:
  Utilisation mean_;
  double seconds_ = 0;
};

}  // namespace ebb::meter
