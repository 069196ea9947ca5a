#pragma once
// The index that NOAA publishes beside each file of GFS (".idx", as wgrib2 writes it): a line for
// each field, "588:417427614:d=2026050600:UGRD:10 m above ground:3 hour fcst:", whose second part
// is the offset of its message. With the index, Ebb fetches the few fields that it uses as byte
// ranges. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::signals {

struct ByteRange {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> last;  ///< absent: to the end of the file
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// The byte ranges of wind at 10 m, temperature at 2 m and, except at the first moment of a run,
/// the mean short wave and precipitation at the surface. Ranges less than 64 KiB apart are joined.
/// Errors: a line that does not belong in an index, offsets out of order, no wind, temperature or
/// short wave.
Result<std::vector<ByteRange>> WantedRanges(std::string_view index, bool first_moment,
                                            const std::string& where);

}  // namespace ebb::signals
