#pragma once
// Divides the energy of a node among its pods. The meter (idle_meter.h) says how much of it was
// idle; this split says which pods used the rest:
//
//  CPU     Pods share the energy that was not idle by CPU time: pod / busy time of the node.
//  memory  Pods share the energy of used memory by working set: pod / used memory of the node.
//  GPU     All energy, idle power included, goes to the pods that have a process on the GPU.
//          Several pods have equal parts, because the counter cannot tell them apart (on a slice:
//          parts of the slice's share of the GPU's compute slices). Without such a pod the GPU was
//          idle.
//
// The rest is idle or unattributed (the kernel, the kubelet, programs outside pods), so that for
// each device pods + idle + unattributed = node, to the microjoule.
//
// Pure.

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/run/node_record.h"
#include "meter/sharing/pod_groups.h"

namespace ebb::meter {

/// Resources that pods used between two looks at a node.
struct PodsInterval {
  Interval wall;
  /// Seconds of CPU time by pod; only compared with `busy_s`.
  std::map<std::string, double> cpu_s{};
  std::map<std::string, double> memory_byte_s{};
  /// Seconds on a GPU, by device and pod.
  std::map<std::string, std::map<std::string, double>> gpu_s{};
  std::set<std::string> shared_gpus{};
  double busy_s = 0;       ///< seconds that the node's processors worked, all together
  double used_byte_s = 0;  ///< bytes in use on the node times seconds
  /// CPU seconds of pods that were gone before the second look, and of unknown processes.
  double lost_cpu_s = 0;
};

/// Share of each GPU, by its name in readings, that each pod holds through its processes; at most 1
/// in all.
using GpuHolders = std::map<std::string, std::map<std::string, double>>;

/// The usage between two looks. The CPU time of a pod that is gone is what its class counted beyond
/// the other pods. If several are gone, they share it in proportion to their CPU time in the
/// interval before (`previous`).
PodsInterval Between(const PodsUse& before, const PodsUse& now, const PodsInterval& previous,
                     Interval wall);
/// Adds the time on GPUs: the holders at the begin and those at the end have half of the interval
/// each.
void AddHolders(const GpuHolders& before, const GpuHolders& now, PodsInterval& interval);

class NodeSplit {
 public:
  /// Adds an interval of usage. Intervals follow each other without gaps.
  void Use(PodsInterval interval);
  /// Adds readings of an IdleMeter, over intervals that were given to Use before.
  void Add(const std::vector<core::EnergyReading>& readings);
  /// The energy that was added since the last call; one entry for each device.
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
