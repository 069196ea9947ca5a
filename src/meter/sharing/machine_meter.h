#pragma once
// One meter for a machine on which several programs run: its counters are read once per sample, by
// one thread, and each reading is split among the programs, idle and unattributed (apportion.h), so
// that over any time
//
//   programs + idle + unattributed = machine      to the microjoule.
//
// It measures while at least one program is there, or always. A program's first and last moments
// are boundaries of everybody's samples.
//
// Thread contract: Join, Mark, Leave and totals are called from one thread. Sinks are called on the
// sampler's thread or from within those calls, one at a time, and must not call back.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ledger.h"
#include "meter/meter.h"
#include "meter/sampler.h"
#include "meter/sharing/apportion.h"
#include "meter/sharing/cgroup.h"

namespace ebb::meter {

struct MachineMeterOptions {
  Duration interval{1000};
  IdleRule idle = IdleRule::kApart;
  /// Power of all processors with nothing running, where it is known.
  std::optional<double> cpu_idle_w{};
  std::string proc_root = "/proc";
  bool always = false;                  ///< also while no program is there
  std::function<Time()> wall_now = {};  ///< replaced in tests
};

struct ProgramToMeter {
  pid_t root = 0;                  ///< a child of this process, waited for after Leave
  const Cgroup* cgroup = nullptr;  ///< where it was put, if anywhere; until Leave
  std::vector<GpuHolding> gpus;    ///< that it can see
  double reserved = 0;             ///< part of the machine, for IdleRule::kShare
};

struct MachineTotals {
  Energy machine, programs, idle, unattributed;
};

class MachineMeter {
 public:
  using Sink = std::function<void(std::vector<core::EnergyReading>)>;

  /// `meters` have the scope machine. `rest` gets what is idle or unattributed, as devices
  /// "idle:cpu:package-0" and "unattributed:cpu:package-0".
  MachineMeter(std::vector<std::unique_ptr<Meter>> meters, MachineMeterOptions options, Sink rest);
  ~MachineMeter();
  MachineMeter(const MachineMeter&) = delete;
  MachineMeter& operator=(const MachineMeter&) = delete;

  /// From now on the program is measured. Returns its number.
  int Join(ProgramToMeter program, Sink sink);
  /// A boundary for everybody, now.
  void Mark();
  /// Takes a last sample and lets the program go. The summary also says within which bounds its
  /// part of a GPU lies that it shared.
  SamplerSummary Leave(int program);
  MachineTotals totals() const;

 private:
  class Session;
  std::vector<std::unique_ptr<Meter>> meters_;
  MachineMeterOptions options_;
  Sink rest_;
  MachineTotals before_;  ///< of earlier sessions
  int last_number_ = 0;
  std::unique_ptr<Session> session_;
};

}  // namespace ebb::meter
