#pragma once
// The Software Carbon Intensity of runs, SCI = ((E x I) + M) per R (ISO/IEC 21031:2024,
// specification 1.1 of the Green Software Foundation), with its terms:
//
//   E  electricity with PUE, I  its mean location-based intensity, so that E x I are the emissions
//      of the ledger
//   M  embodied emissions, TE x TiR / EL x RR / ToR of each run (core::Embodied)
//   R  functional units: runs, or the work that their programs reported
//
// A term that is not known for every run makes the SCI unknown: a score without a part of its
// carbon or of its work would be another figure. Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "report/period/period.h"

namespace ebb::report {

enum class FunctionalUnit { kRun, kToken, kSample, kStep, kEpoch };
/// "run", "token", "sample", "step", "epoch".
std::string_view Name(FunctionalUnit unit);
std::optional<FunctionalUnit> FunctionalUnitFromName(std::string_view name);

struct Sci {
  FunctionalUnit unit = FunctionalUnit::kRun;
  Energy energy;                               ///< E
  std::optional<Intensity> intensity;          ///< I
  std::optional<std::int64_t> operational_ug;  ///< O = E x I
  std::optional<std::int64_t> embodied_ug;     ///< M
  std::optional<std::int64_t> units;           ///< R
  std::vector<std::string> unknown;            ///< a sentence for each term that is not known

  std::optional<std::int64_t> total_ug() const;        ///< C = O + M
  std::optional<double> grams_per_unit() const;        ///< SCI
  std::optional<double> operational_per_unit() const;  ///< O per R, in grams
};

Sci SciOf(const PeriodReport& report, FunctionalUnit unit);

}  // namespace ebb::report
