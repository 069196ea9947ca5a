#pragma once
// Measures one program, or the machine while it runs. It has two users: the sampler's thread here,
// and a library that is ticked by the program that it is in (lib/ticking_meter.h).

#include <functional>
#include <memory>
#include <vector>

#include "meter/meter.h"
#include "meter/sampler.h"
#include "meter/sharing/cgroup.h"

namespace ebb::local {

/// Thread contract: one thread; the sink is called on any thread, one call at a time, and not after
/// Stop.
class ProgramMeter {
 public:
  using Sink = std::function<void(std::vector<core::EnergyReading>)>;
  virtual ~ProgramMeter() = default;
  /// `root`: the program; 0: none, the whole machine is measured. `cgroup` is the program's control
  /// group, if it has one.
  virtual void Start(pid_t root, const meter::Cgroup* cgroup, Sink sink) = 0;
  virtual void Mark() = 0;
  virtual meter::SamplerSummary Stop() = 0;
};

std::unique_ptr<ProgramMeter> MakeOwnMeter(std::vector<std::unique_ptr<meter::Meter>> meters,
                                           meter::SamplerOptions options);

}  // namespace ebb::local
