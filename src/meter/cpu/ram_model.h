#pragma once
// The energy of the memory: CodeCarbon's model of watts per memory module (docs/metering.md has its
// constants). The power of a machine's memory does not depend on its use; a process tree is charged
// the share that its resident set has of all memory.

#include <optional>
#include <string>

#include "core/run/run.h"
#include "meter/carry.h"
#include "meter/gap_log.h"
#include "meter/meter.h"

namespace ebb::meter {

enum class Architecture { kX86, kArm };
Architecture ThisArchitecture();

/// The number of modules that a memory of this size probably consists of.
int EstimateModules(double total_gib);
/// Power of the whole machine's memory in watts.
double EstimateRamPower(double total_gib, Architecture architecture);

class RamModelMeter : public Meter {
 public:
  /// `override_w` is the value of --ram-power, in watts of the whole machine's memory.
  RamModelMeter(double total_bytes, std::optional<double> override_w, core::MeterScope scope);

  std::string Description() const override;
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::vector<std::string> Gaps() const override { return gaps_.Lines(); }

 private:
  std::optional<double> Share(const IntervalUsage& usage) const;

  double total_bytes_;
  double power_w_;
  bool overridden_;
  core::MeterScope scope_;
  Carry carry_;
  GapLog gaps_;
};

}  // namespace ebb::meter
