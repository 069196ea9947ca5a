#pragma once
// CRC-32C (Castagnoli; RFC 3720, appendix B.4), and its masked form in TFRecord files.

#include <cstdint>
#include <string_view>

namespace ebb::trackers {

std::uint32_t Crc32c(std::string_view data);
/// The checksum rotated right by 15 bits, plus a constant, so that a checksum of data that holds
/// checksums stays one. Source: tensorflow/core/lib/hash/crc32c.h.
std::uint32_t MaskedCrc32c(std::string_view data);

}  // namespace ebb::trackers
