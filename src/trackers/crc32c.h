#pragma once
// CRC-32C (Castagnoli; RFC 3720, appendix B.4), and as TFRecord files mask it.

#include <cstdint>
#include <string_view>

namespace ebb::trackers {

std::uint32_t Crc32c(std::string_view data);
/// Rotated right by 15 bits, plus a constant: a checksum of data that holds checksums stays one.
/// Source: tensorflow/core/lib/hash/crc32c.h.
std::uint32_t MaskedCrc32c(std::string_view data);

}  // namespace ebb::trackers
