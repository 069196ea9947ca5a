#pragma once
// What GRIB2 messages consist of (WMO Manual on Codes, FM 92), before anything is decoded: which
// fields are in them, and each of them as a message of its own. Sizes are checked here, so that a
// decoder sees nothing but sections that are whole and of kinds that weather models publish. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::signals {

/// A message begins with so many bytes that say how long it is.
inline constexpr std::size_t kGribIndicatorBytes = 16;
/// Then comes the section that says when its run started.
inline constexpr std::size_t kGribIdentificationBytes = 21;

/// How long the message is that begins with `head`: at least kGribIndicatorBytes, whose end is not
/// looked for. `where` is for messages of errors.
Result<std::size_t> LengthOfGrib(std::string_view head, const std::string& where);

/// When the run of a message starts, from its first two sections.
Result<Time> RunOfGrib(std::string_view head, const std::string& where);

/// Unsigned, big-endian, at a place that is there.
std::uint64_t NumberAt(std::string_view bytes, std::size_t at, std::size_t length);

/// A quantity, by the numbers of code table 4.2.
struct GribParameter {
  unsigned discipline = 0, category = 0, number = 0;
  friend bool operator==(const GribParameter&, const GribParameter&) = default;
};

struct GribPart {
  GribParameter parameter;
  Time issued{};                 ///< reference time of the message
  std::string_view sections[8];  ///< by number, 1 to 7; an empty one is absent. In the message
};

/// The fields of one whole message; those of templates that are not read are left out. An Error
/// names what is wrong with its structure.
Result<std::vector<GribPart>> PartsOfGrib(std::string_view message, const std::string& where);

/// The part as a message with this field alone.
std::string MessageOf(const GribPart& part);

}  // namespace ebb::signals
