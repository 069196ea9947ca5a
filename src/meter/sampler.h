#pragma once
// The sampler: one thread that samples every meter at a fixed rate and passes the readings to a
// sink. Intervals of neighbouring samples share their boundary: no gaps, no overlaps; the last,
// partial interval ends at Stop.
//
// The time of samples comes from sampling_clock.h.
//
// Thread contract: Start, Mark and Stop may be called from any thread, one at a time. The sink is
// called on the sampler thread and never after Stop has returned. All signals are blocked in the
// sampler thread.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/run/run.h"
#include "meter/meter.h"
#include "meter/sharing/cgroup.h"
#include "meter/sharing/utilisation.h"

namespace ebb::meter {

struct SamplerOptions {
  Duration interval{1000};
  core::MeterScope scope = core::MeterScope::kProcessTree;
  std::string proc_root = "/proc";
  /// Wall clock, read once per Start. Tests replace it.
  std::function<Time()> wall_now = {};
};

/// The result of Stop.
struct SamplerSummary {
  Utilisation mean;                   ///< means over the whole of `mean.wall`, weighted by time
  std::vector<std::string> warnings;  ///< figures that could not be measured, one line per cause
};

class Sampler {
 public:
  using Sink = std::function<void(std::vector<core::EnergyReading>, Utilisation)>;

  Sampler(std::vector<std::unique_ptr<Meter>> meters, SamplerOptions options, Sink sink);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Begins the first interval now. `roots` are the processes whose trees are measured; ignored
  /// (and usually empty) for the scope kMachine. If a root is a child of this process, the time of
  /// children that this process has waited for counts too, so the caller may reap it before or
  /// after Stop. `cgroup` is the control group that the roots were put into, or null; it must live
  /// until Stop.
  void Start(std::vector<pid_t> roots, const Cgroup* cgroup = nullptr);
  /// Ends the current interval now and begins the next one, e.g. at the end of an epoch. Returns at
  /// once; a request within a millisecond of a boundary adds none.
  void Mark();
  /// Takes the last sample and ends the thread. Calling it again, or without Start, changes
  /// nothing. After Stop the sampler may be started again (another attempt of the same run).
  SamplerSummary Stop();

 private:
  class Session;
  SamplerOptions options_;
  Sink sink_;
  std::vector<std::unique_ptr<Meter>> meters_;
  std::unique_ptr<Session> session_;
  SamplerSummary last_;
};

}  // namespace ebb::meter
