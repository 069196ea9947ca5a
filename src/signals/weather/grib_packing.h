#pragma once
// Checks that a GRIB2 field has as many packed values as it says, and that they lie in its message:
// otherwise ecCodes would read on beyond the end. Pure.

#include "base/result.h"
#include "signals/weather/grib_layout.h"

namespace ebb::signals {

/// True if the values fit. They may be packed simply, in groups, or in groups of differences (data
/// representation templates 5.0, 5.2 and 5.3), with a bitmap of the field's own or none.
bool IsPackedWhole(const GribPart& part);

}  // namespace ebb::signals
