#pragma once
// Finds out if a precision is the processor's own or emulated by the library. A trial decides,
// since a library may not use what a processor has; the processor's flags only explain. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "train/options/options.h"

namespace ebb::train {

/// The shortest times of some repetitions of one operation, in fp32 and in the lower precision.
struct PrecisionTrial {
  double fp32_seconds = 0;
  double mixed_seconds = 0;  ///< infinite: the library cannot do it at all
  bool cpu_has_it = false;   ///< result of CpuHasArithmetic
};

/// `flags`: the line "flags" (x86) or "Features" (ARM) of /proc/cpuinfo.
bool CpuHasArithmetic(std::string_view flags, Precision precision);

/// A sentence about a precision that is slower than fp32 because it is emulated, or that does not
/// work. Nothing otherwise, and nothing for fp32.
std::optional<std::string> EmulationNotice(Precision precision, const PrecisionTrial& trial);

}  // namespace ebb::train
