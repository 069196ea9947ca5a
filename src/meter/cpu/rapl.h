#pragma once
// Energy of processor packages from the counters of Running Average Power Limit (Intel SDM vol. 3,
// "Platform Specific Power Management Support"; AMD since Linux 5.8 by the same interface), read
// through /sys/class/powercap (kernel document power/powercap). All package-N domains count, also
// those of dies ("package-0-die-1"); cores and uncore do not, because they are parts of packages.
// The domain psys, on boards that have it, is the whole platform: it is read instead of the
// packages, never in addition to them. A package that appears under both intel-rapl and
// intel-rapl-mmio counts once.
//
// With the scope process tree, the energy of each interval is shared by CPU time, because counters
// do not know processes:
//   (energy - idle) x (CPU time of the tree / busy time of all processors)
// where idle is the known idle power x the part of the processors that did not work, or 0 if the
// idle power is unknown (idle_meter.h does the same for a machine). Shares of trees over the same
// interval never exceed the energy. The dram domain is shared by resident size, as in the RAM
// model.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"
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
  std::vector<RaplDomain> packages;  ///< all packages, or none
  std::vector<RaplDomain> dram;      ///< memory of the packages; empty unless all of it can be read
  std::vector<RaplDomain> psys;      ///< one domain, or none if no psys can be read
  bool not_permitted = false;        ///< set if there are counters that this user may not read
  std::string note;                  ///< reason why `packages` is empty, and what to do; else empty
};

/// The command that lets a user's group read the counters until the next boot.
inline constexpr const char* kAllowRapl =
    "sudo chgrp \"$(id -gn)\" /sys/class/powercap/intel-rapl*:*/energy_uj && sudo chmod g+r "
    "/sys/class/powercap/intel-rapl*:*/energy_uj";

RaplScan ScanRapl(const std::string& rapl_root);

/// A meter of the domains of one component: the packages, or their memory.
class RaplMeter : public Meter {
 public:
  struct Options {
    core::Component component = core::Component::kCpu;  ///< kCpu or kRam
    core::MeterScope scope = core::MeterScope::kProcessTree;
    double total_memory_bytes = 0;  ///< needed to divide dram among process trees
    /// Watts of each package with nothing running; nullopt if unknown.
    std::optional<double> idle_w{};
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
    /// Energy counted while no process ran that it could be charged to.
    double unshared_joules = 0;
    // Time since the last reading. It is longer than a sample if the counter could not be read.
    std::optional<Time> wall_begin{};
    double waiting_seconds = 0;
    /// Reason why wall_begin is older than a sample.
    std::optional<EnergyCounter::Outcome> waiting{};
    bool cpu_time_missing = false;
    bool has_reading = false;  ///< since Start
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
