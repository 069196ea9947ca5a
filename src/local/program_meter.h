#pragma once
// What measures one program: meters of its own, or its part of a meter for the whole machine.

#include <memory>
#include <vector>

#include "meter/cgroup.h"
#include "meter/machine_meter.h"
#include "meter/meter.h"
#include "meter/sampler.h"

namespace ebb::local {

/// Thread contract: one thread; the sink is called on any thread, one call at a time, and not after
/// Stop.
class ProgramMeter {
 public:
  using Sink = meter::MachineMeter::Sink;
  virtual ~ProgramMeter() = default;
  /// `root`: the program; 0: none, the whole machine is measured. `cgroup` is where the program was
  /// put, if anywhere.
  virtual void Start(pid_t root, const meter::Cgroup* cgroup, Sink sink) = 0;
  virtual void Mark() = 0;
  virtual meter::SamplerSummary Stop() = 0;
};

std::unique_ptr<ProgramMeter> MakeOwnMeter(std::vector<std::unique_ptr<meter::Meter>> meters,
                                           meter::SamplerOptions options);

/// The machine's meter must outlive it.
std::unique_ptr<ProgramMeter> MakeSharedMeter(meter::MachineMeter& machine,
                                              std::vector<meter::GpuHolding> gpus, double reserved);

}  // namespace ebb::local
