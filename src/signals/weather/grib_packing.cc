#include "signals/weather/grib_packing.h"

#include <optional>

namespace ebb::signals {
namespace {

constexpr std::uint64_t kMostBits = 32;
constexpr std::size_t kHeadBytes = 5;
// Positions of numbers in sections 5 and 6, in bytes from the section's begin.
constexpr std::size_t kBitsAt = 19, kGroupsAt = 31, kWidthReferenceAt = 35, kWidthBitsAt = 36,
                      kLengthReferenceAt = 37, kLengthIncrementAt = 41, kLastLengthAt = 42,
                      kLengthBitsAt = 46, kOrderAt = 47, kExtraBytesAt = 48;
constexpr std::size_t kSimpleBytes = 21, kGroupsBytes = 47, kDifferencesBytes = 49;
constexpr std::uint64_t kSimple = 0, kGroups = 2, kDifferences = 3;
constexpr std::size_t kBitmapAt = 6;
constexpr std::uint64_t kHasBitmap = 0, kNoBitmap = 255;

// Reads numbers of any width in bits, one after the other.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  // nullopt if the bytes end before.
  std::optional<std::uint64_t> Next(std::uint64_t bits) {
    if (bits > left()) return std::nullopt;
    std::uint64_t number = 0;
    for (std::uint64_t i = 0; i < bits; ++i, ++at_)
      number = number << 1 | (static_cast<unsigned char>(bytes_[at_ / 8]) >> (7 - at_ % 8) & 1U);
    return number;
  }
  bool Skip(std::uint64_t bits) {
    if (bits > left()) return false;
    at_ += bits;
    return true;
  }
  void ToWholeByte() { at_ = (at_ + 7) / 8 * 8; }
  std::uint64_t left() const { return 8 * bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::uint64_t at_ = 0;
};

// The numbers in section 5 about groups of values.
struct GroupsOfValues {
  std::uint64_t count, reference_bits, width_reference, width_bits, length_reference,
      length_increment, last_length, length_bits;
  explicit GroupsOfValues(std::string_view section)
      : count(NumberAt(section, kGroupsAt, 4)),
        reference_bits(NumberAt(section, kBitsAt, 1)),
        width_reference(NumberAt(section, kWidthReferenceAt, 1)),
        width_bits(NumberAt(section, kWidthBitsAt, 1)),
        length_reference(NumberAt(section, kLengthReferenceAt, 4)),
        length_increment(NumberAt(section, kLengthIncrementAt, 1)),
        last_length(NumberAt(section, kLastLengthAt, 4)),
        length_bits(NumberAt(section, kLengthBitsAt, 1)) {}
};

bool GroupsFit(const GroupsOfValues& groups, std::uint64_t values, BitReader data) {
  if (groups.count == 0) return groups.reference_bits == 0;  // all values are the same
  if (groups.count > values || groups.width_bits > kMostBits || groups.length_bits > kMostBits)
    return false;
  if (!data.Skip(groups.count * groups.reference_bits)) return false;
  data.ToWholeByte();
  BitReader widths = data;
  if (!data.Skip(groups.count * groups.width_bits)) return false;
  data.ToWholeByte();
  BitReader lengths = data;
  if (!data.Skip(groups.count * groups.length_bits)) return false;
  data.ToWholeByte();
  std::uint64_t there = 0, bits = 0;
  for (std::uint64_t i = 0; i < groups.count; ++i) {
    const std::uint64_t width = groups.width_reference + *widths.Next(groups.width_bits);
    const std::uint64_t scaled = *lengths.Next(groups.length_bits);
    const std::uint64_t length = i + 1 == groups.count
                                     ? groups.last_length
                                     : groups.length_reference + scaled * groups.length_increment;
    if (width > kMostBits || length > values - there) return false;
    there += length;
    bits += width * length;
  }
  return there == values && bits <= data.left();
}

// The number of packed values of a field whose missing values are not packed; nullopt if its bitmap
// does not fit.
std::optional<std::uint64_t> ValuesOf(std::string_view bitmap, std::uint64_t points) {
  const std::uint64_t kind = NumberAt(bitmap, kHeadBytes, 1);
  if (kind == kNoBitmap) return points;
  if (kind != kHasBitmap || 8 * (bitmap.size() - kBitmapAt) < points) return std::nullopt;
  BitReader bits(bitmap.substr(kBitmapAt));
  std::uint64_t present = 0;
  for (std::uint64_t i = 0; i < points; ++i) present += *bits.Next(1);
  return present;
}

}  // namespace

bool IsPackedWhole(const GribPart& part) {
  const std::string_view section = part.sections[5];
  const std::uint64_t values = NumberAt(section, kHeadBytes, 4);
  const std::uint64_t points = NumberAt(part.sections[3], 6, 4);
  if (ValuesOf(part.sections[6], points) != values) return false;
  const std::uint64_t packing = NumberAt(section, 9, 2), bits = NumberAt(section, kBitsAt, 1);
  if (bits > kMostBits) return false;
  BitReader data(part.sections[7].substr(kHeadBytes));
  if (packing == kSimple) return section.size() >= kSimpleBytes && values * bits <= data.left();
  if (packing == kGroups)
    return section.size() >= kGroupsBytes && GroupsFit(GroupsOfValues(section), values, data);
  if (packing != kDifferences || section.size() < kDifferencesBytes) return false;
  const std::uint64_t order = NumberAt(section, kOrderAt, 1);
  const std::uint64_t extra_bytes = NumberAt(section, kExtraBytesAt, 1);
  const bool can_be = (order == 1 || order == 2) && extra_bytes >= 1 && extra_bytes <= 4 &&
                      values > order && data.Skip(8 * extra_bytes * (order + 1));
  return can_be && GroupsFit(GroupsOfValues(section), values, data);
}

}  // namespace ebb::signals
