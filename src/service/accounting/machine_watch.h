#pragma once
// Measures the whole machine while the service runs. Supervisors measure one job each, so this is
// how the service knows what no job used. Meters of the scope "machine" read processors and memory.
// GPUs are read by the energy counters that each look at them finds (service/devices/gpu_watch.h):
// no driver library stays open, so that drivers can be upgraded while the service runs. The
// readings still contain what jobs used (core/ledger/machine_ledger.h subtracts it).
//
// A look does not tell who used a GPU. So all of a GPU's energy is called idle here, also that of
// programs that are not jobs. GPUs without a counter are not measured.
//
// Thread contract: Take from one thread. The function that OnLook returns may be called on any
// thread, also after the watch has ended.

#include <functional>
#include <memory>
#include <vector>

#include "core/ledger/machine_ledger.h"
#include "meter/gpu/gpu_inventory.h"
#include "meter/meters.h"
#include "meter/sampler.h"

namespace ebb::service {

class MachineWatch {
 public:
  /// `meters` have the scope "machine". None of them may read GPUs.
  MachineWatch(meter::MeterSet meters, Duration interval);
  ~MachineWatch();

  /// A function that takes the counters of one look.
  std::function<void(const meter::GpuInventory&)> OnLook() const;
  /// The readings since the last call.
  std::vector<core::MachineShares> Take();

 private:
  struct Readings;
  std::shared_ptr<Readings> readings_;
  std::unique_ptr<meter::Sampler> sampler_;
};

}  // namespace ebb::service
