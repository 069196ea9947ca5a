#pragma once
// The energy of the processors if no counter can be read: a model from CPU time and the data
// sheet's thermal design power (TDP). docs/metering.md compares it with the published alternatives.
//
//   machine:       P = TDP x (0.1 + 0.9 x load)           an idle machine draws a tenth
//   process tree:  P = TDP x CPU time / (time x logical processors)
//
// Both are linear in CPU time, so the energy does not depend on how often it is sampled, and the
// process trees of a machine together never get more than the machine. The TDP used here is the
// power that all visible logical processors together draw at full load: on bare metal the TDP of
// all packages; in a virtual machine the share of the package that its logical processors make up.

#include <optional>
#include <string>

#include "core/run/run.h"
#include "meter/carry.h"
#include "meter/cpu/cpu_info.h"
#include "meter/gap_log.h"
#include "meter/meter.h"

namespace ebb::meter {

struct CpuPower {
  double tdp_w = 0;        ///< watts of all visible logical processors at full load
  std::string provenance;  ///< source of tdp_w, e.g. "2/64 of AMD EPYC 7543, 225 W"
  bool known = true;       ///< true: from a data sheet or the user; false: the fallback
};

/// The value of --cpu-tdp (`override_w`) comes first, then the built-in table, then 4 W per logical
/// processor, the fallback that CodeCarbon publishes.
CpuPower VisibleCpuPower(const CpuInfo& info, std::optional<double> override_w);

/// Power of a machine as a function of its load. Process trees are charged by CPU time with either
/// curve.
enum class LoadCurve {
  kLinear,      ///< 0.1 + 0.9 x load
  kCodeCarbon,  ///< 0.1 + 0.9 x load^3, as CodeCarbon 3.3 (codecarbon/external/hardware.py);
                ///< depends on how often it is sampled
};

class CpuModelMeter : public Meter {
 public:
  CpuModelMeter(CpuPower power, int logical_processors, core::MeterScope scope,
                LoadCurve curve = LoadCurve::kLinear);

  /// Power of the machine in watts with nothing running.
  static double IdleWatts(const CpuPower& power);

  std::string Description() const override;
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::vector<std::string> Gaps() const override { return gaps_.Lines(); }

 private:
  std::optional<double> Joules(const IntervalUsage& usage) const;

  CpuPower power_;
  int logical_processors_;
  core::MeterScope scope_;
  LoadCurve curve_;
  Carry carry_;
  GapLog gaps_;
};

}  // namespace ebb::meter
