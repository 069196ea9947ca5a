#pragma once
// Divides what a node used among its pods. A meter that knows no programs says how much was idle
// and how much was not (idle_meter.h); this says whose it was:
//
//  CPU     What was not idle, by CPU time: pod / busy time of the node.
//  memory  What was not free, by working set: pod / used memory of the node.
//  GPU     All of it, idle power included, is that of the pods that have a process on it. Several
//          at once: equal parts, as the counter does not tell them apart (of a slice of a GPU,
//          that part of it which its compute slices are of all). None: it was idle.
//
// What is left is idle or unattributed (the kernel, the kubelet, programs that are no pods), so
// that for each device pods + idle + unattributed = node, to the microjoule.
//
// Pure.

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/node_record.h"
#include "meter/sharing/pod_groups.h"

namespace ebb::meter {

/// Who used what of a node between two looks at it.
struct PodsInterval {
  Interval wall;
  std::map<std::string, double> cpu_s{};  ///< by pod; only compared with `busy_s`
  std::map<std::string, double> memory_byte_s{};
  std::map<std::string, std::map<std::string, double>> gpu_s{};  ///< by device and pod
  std::set<std::string> shared_gpus{};
  double busy_s = 0;       ///< of the node's processors together
  double used_byte_s = 0;  ///< of its memory
  /// CPU time of pods that were gone before they were looked at again, and of nobody known.
  double lost_cpu_s = 0;
};

/// What part of each GPU, as readings name it, each pod has by its processes; all together 1 at
/// most.
using GpuHolders = std::map<std::string, std::map<std::string, double>>;

/// CPU time of a pod that has gone since is what its class counted beyond the others; of several,
/// in proportion to what they used before (`rate`: in the interval before this).
PodsInterval Between(const PodsUse& before, const PodsUse& now, const PodsInterval& previous,
                     Interval wall);
/// Who had GPUs at its begin and at its end: half of the time each.
void AddHolders(const GpuHolders& before, const GpuHolders& now, PodsInterval& interval);

class NodeSplit {
 public:
  /// Intervals follow each other.
  void Use(PodsInterval interval);
  /// Of an IdleMeter, over intervals that were given before.
  void Add(const std::vector<core::EnergyReading>& readings);
  /// What was added since the last call; one entry for each device.
  core::NodeRecord Take();

 private:
  PodsInterval Over(Interval wall) const;
  void Divide(Energy energy, const std::map<std::string, double>& used, double whole, bool shared,
              Energy& rest, core::DeviceEnergy& device) const;

  std::deque<PodsInterval> intervals_;
  std::map<std::string, core::DeviceEnergy> open_;  // by device
  Interval wall_{Time::max(), Time::min()};
};

}  // namespace ebb::meter
