#pragma once
// Reads what the machine uses while the service runs, beside the supervisors that measure one job
// each: processors and memory by meters of the scope machine, GPUs by the counters that the looks
// at them find (no library is held open, so that drivers can be upgraded under the service).
// Readings are of the whole machine: what jobs used is still in them (core/machine_ledger.h).
//
// What a GPU used is called idle, as a look does not tell who used it; what programs used that are
// no jobs is in it, too. GPUs without a counter are not read.
//
// Thread contract: Take from one thread; what OnLook returns from any, also after the watch ended.

#include <functional>
#include <memory>
#include <vector>

#include "core/machine_ledger.h"
#include "meter/gpu/gpu_inventory.h"
#include "meter/meters.h"
#include "meter/sampler.h"

namespace ebb::service {

class MachineWatch {
 public:
  /// `meters` have the scope machine, and none of them reads GPUs.
  MachineWatch(meter::MeterSet meters, Duration interval);
  ~MachineWatch();

  std::function<void(const meter::GpuInventory&)> OnLook() const;
  /// What was read since the last call.
  std::vector<core::MachineShares> Take();

 private:
  struct Readings;
  std::shared_ptr<Readings> readings_;
  std::unique_ptr<meter::Sampler> sampler_;
};

}  // namespace ebb::service
