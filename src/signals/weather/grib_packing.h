#pragma once
// Whether the packed values of a GRIB2 field are as many as it says and lie in its message: ecCodes
// reads on beyond the end where they are not. Pure.

#include "base/result.h"
#include "signals/weather/grib_layout.h"

namespace ebb::signals {

/// Packed simply, in groups, or in groups of differences (data representation templates 5.0, 5.2
/// and 5.3), with a bitmap of its own or none.
bool IsPackedWhole(const GribPart& part);

}  // namespace ebb::signals
