#pragma once
// Separates what schedule, accumulation and precision each did to a metric, by least squares over
// all finished runs of a comparison. Method and limits: compare.h.

#include "report/compare/compare.h"

namespace ebb::report {

/// Fills in `comparison.factors` from its runs and groups.
void SeparateFactors(Comparison& comparison);

/// The level of a factor in one run ("threshold 200 g/kWh", "16 x 4", "bf16").
std::string FactorLevel(const core::RunSpec& spec, Factor factor);

/// Better or worse by the interval, or by the sign alone where there is none. A difference below
/// one part in 10^9 of `reference` is rounding.
Verdict Judge(const Estimate& difference, double reference, Metric metric);

}  // namespace ebb::report
