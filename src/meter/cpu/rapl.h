#pragma once
// Energy of processor packages from the counters of Running Average Power Limit (Intel SDM vol. 3,
// "Platform Specific Power Management Support"; AMD since Linux 5.8 by the same interface), read
// through /sys/class/powercap (kernel document power/powercap). All package-N domains count, also
// those of dies ("package-0-die-1"); cores and uncore do not, being parts of them. psys, where the
// board has it, is the whole platform: it is read instead of the packages, never beside them. The
// same package may appear under intel-rapl and intel-rapl-mmio: it counts once.
//
// Scope process tree: counters know no processes. Each interval's energy is shared by CPU time:
//   (energy - idle) x (CPU time of the tree / busy time of all processors)
// where idle is the known idle power x the part of the processors that did not work, 0 where it is
// not known (as idle_meter.h has it of a machine). Shares of trees over the same
// interval never exceed the energy. The dram domain is shared by resident size, as the RAM model.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/run.h"
#include "meter/carry.h"
#include "meter/cpu/energy_counter.h"
#include "meter/gap_log.h"
#include "meter/meter.h"

namespace ebb::meter {

struct RaplDomain {
  std::string name;         ///< "package-0"; "dram-0" for the memory of package-0
  std::string energy_file;  ///< .../energy_uj
  std::optional<std::int64_t> range_uj;
};

struct RaplScan {
  std::vector<RaplDomain> packages;  ///< all of them, or none
  std::vector<RaplDomain> dram;      ///< only where all can be read
  std::vector<RaplDomain> psys;      ///< one, or none where there is none that can be read
  bool not_permitted = false;        ///< there are counters, and this user may not read them
  std::string note;                  ///< why `packages` is empty and what to do; else empty
};

/// The command that lets a user's group read the counters until the next boot.
inline constexpr const char* kAllowRapl =
    "sudo chgrp \"$(id -gn)\" /sys/class/powercap/intel-rapl*:*/energy_uj && sudo chmod g+r "
    "/sys/class/powercap/intel-rapl*:*/energy_uj";

RaplScan ScanRapl(const std::string& rapl_root);

/// One meter for domains of one component: the packages, or their memory.
class RaplMeter : public Meter {
 public:
  struct Options {
    core::Component component = core::Component::kCpu;  ///< kCpu or kRam
    core::MeterScope scope = core::MeterScope::kProcessTree;
    double total_memory_bytes = 0;   ///< needed to share dram among process trees
    std::optional<double> idle_w{};  ///< of each package, where it is known
  };
  RaplMeter(std::vector<RaplDomain> domains, Options options);

  std::string Description() const override;
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::optional<std::chrono::nanoseconds> poll_interval() const override;
  void Poll(Instant now) override;
  std::vector<std::string> Gaps() const override;

 private:
  struct Counted {
    RaplDomain domain;
    std::string device;
    EnergyCounter counter;
    Carry carry{};
    double unshared_joules = 0;  ///< counted, but nothing ran yet that it could be charged to
    // Since the last reading; longer than a sample where the counter could not be read.
    std::optional<Time> wall_begin{};
    double waiting_seconds = 0;
    std::optional<EnergyCounter::Outcome> waiting{};  ///< for a value, which is why it is longer
    bool cpu_time_missing = false;
    std::chrono::nanoseconds tree_cpu{}, machine_busy{};
  };
  bool CountsNothingYet(Counted& counted, EnergyCounter::Outcome outcome);
  EnergyCounter::Outcome Look(Counted& counted, Instant now);
  void Collect(Counted& counted, const IntervalUsage& usage);
  std::optional<double> ShareOfTree(const Counted& counted, const IntervalUsage& usage) const;
  double IdleJoules(const Counted& counted, const IntervalUsage& usage) const;

  Options options_;
  std::vector<Counted> counted_;
  GapLog gaps_;
};

}  // namespace ebb::meter
