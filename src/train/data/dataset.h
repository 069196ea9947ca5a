#pragma once
// Images with labels as the trainer holds them: bytes, one contiguous block, so that a batch is
// gathered by index without any work per sample beyond the copy.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ebb::train {

struct ImageShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t pixels() const { return rows * columns; }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

struct Dataset {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  ///< size() x rows x columns, row-major, 0 = background
  std::vector<std::uint8_t> labels;  ///< size(), each below `kClasses`

  std::size_t size() const { return labels.size(); }
  std::span<const std::uint8_t> image(std::size_t index) const {
    return std::span(pixels).subspan(index * shape.pixels(), shape.pixels());
  }
  /// Keeps the first `limit` samples; 0 keeps all.
  void Truncate(std::size_t limit) {
    if (limit == 0 || limit >= size()) return;
    labels.resize(limit);
    pixels.resize(limit * shape.pixels());
  }
};

struct DataSplits {
  Dataset train;
  Dataset test;
};

inline constexpr std::uint8_t kClasses = 10;

}  // namespace ebb::train
