#include "trackers/crc32c.h"

#include <array>

namespace ebb::trackers {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected 0x1edc6f41
constexpr std::uint32_t kMaskDelta = 0xa282ead8;

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

}  // namespace

std::uint32_t Crc32c(std::string_view data) {
  static constexpr auto kTable = MakeTable();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : data) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

std::uint32_t MaskedCrc32c(std::string_view data) {
  const std::uint32_t crc = Crc32c(data);
  return (crc >> 15 | crc << 17) + kMaskDelta;
}

}  // namespace ebb::trackers
