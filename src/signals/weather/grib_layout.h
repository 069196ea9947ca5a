#pragma once
// The structure of GRIB2 messages (WMO Manual on Codes, FM 92), before anything is decoded: which
// fields are in them, and each field as a message of its own. Sizes are checked here, so that a
// decoder sees only sections that are whole and of kinds that weather models publish. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::signals {

/// The size of section 0, which begins a message and states its length.
inline constexpr std::size_t kGribIndicatorBytes = 16;
/// The size of section 1, which follows and states the start of the run.
inline constexpr std::size_t kGribIdentificationBytes = 21;

/// The length of the message that begins with `head`, which has at least kGribIndicatorBytes. The
/// end of the message is not checked. `where` is for error messages.
Result<std::size_t> LengthOfGrib(std::string_view head, const std::string& where);

/// The start of a message's run, from its first two sections.
Result<Time> RunOfGrib(std::string_view head, const std::string& where);

/// An unsigned big-endian number; the bytes must exist.
std::uint64_t NumberAt(std::string_view bytes, std::size_t at, std::size_t length);

/// A quantity, by the numbers of code table 4.2.
struct GribParameter {
  unsigned discipline = 0, category = 0, number = 0;
  friend bool operator==(const GribParameter&, const GribParameter&) = default;
};

struct GribPart {
  GribParameter parameter;
  Time issued{};                 ///< reference time of the message
  std::string_view sections[8];  ///< by number, 1 to 7; empty: absent. Views of the message
};

/// The fields of one whole message, without those of unknown templates. An Error says what is wrong
/// with its structure.
Result<std::vector<GribPart>> PartsOfGrib(std::string_view message, const std::string& where);

/// The part as a message with this field alone.
std::string MessageOf(const GribPart& part);

}  // namespace ebb::signals
