#pragma once
// A matrix {out, in} of frozen weights, kept in memory in its own type or in fewer bits
// (base_weights.h). On a CPU, a matrix in fewer bits is decoded chunk by chunk: some rows for a
// product, some columns for a transposed one, so that no sum is cut into parts and every number of
// a result equals that of the whole matrix. A GPU encodes and decodes whole matrices itself.

#include <cstdint>
#include <span>
#include <vector>

#include "train/language/weights/base_weights.h"
#include "train/libtorch.h"

namespace ebb::train {

class FrozenMatrix {
 public:
  FrozenMatrix() = default;
  /// Keeps `plain` as it is; the arithmetic is in its type.
  explicit FrozenMatrix(torch::Tensor plain);
  /// Makes a copy of `weight` (of any floating type, on any device); arithmetic and device as
  /// `wanted`.
  static FrozenMatrix Stored(const torch::Tensor& weight, BaseWeights as,
                             const torch::TensorOptions& wanted);

  std::int64_t rows() const { return codes_.size(0); }
  std::int64_t columns() const { return columns_; }
  bool is_plain() const { return as_ == BaseWeights::kPlain; }
  /// The weights of a plain matrix.
  const torch::Tensor& plain() const { return codes_; }
  std::int64_t bytes() const;
  /// False if a weight is not finite, or was not before it was encoded in fewer bits.
  bool is_finite() const;

  /// The decoded matrix.
  torch::Tensor Whole() const;
  torch::Tensor Rows(std::int64_t first, std::int64_t count) const;

  /// Returns x {N, in} W^T, and y {N, out} W; without a graph.
  torch::Tensor Times(const torch::Tensor& x) const;
  torch::Tensor TransposedTimes(const torch::Tensor& y) const;
  /// Adds y W to `sum` {N, in}.
  void AddTransposedTimes(const torch::Tensor& y, torch::Tensor& sum) const;

 private:
  struct Range {
    std::int64_t first = 0, count = 0;
  };
  void EncodeOnCpu(const torch::Tensor& weight);
  void EncodeOnDevice(const torch::Tensor& weight, torch::Device device);
  /// Replaces `scales_` by their codes.
  void EncodeScalesOnceMore();
  /// Decoded scales, by LibTorch's operations: {rows, 1}, or {rows, blocks}.
  torch::Tensor ScalesOf(Range rows) const;
  torch::Tensor Part(Range rows, Range columns) const;
  torch::Tensor PartOfCodes(Range rows, Range columns) const;
  /// Columns from `first_column` on, the beginning of a block. `decoded_scales` is a buffer.
  template <typename Number>
  void DecodeRow(std::int64_t row, std::int64_t first_column, std::span<Number> out,
                 std::vector<float>& decoded_scales) const;
  torch::Tensor TimesOneRow(const torch::Tensor& x) const;
  template <typename Number>
  void Decode(Range rows, Range columns, Number* out) const;
  template <typename Visit>
  void ForEachChunk(std::int64_t length, std::int64_t width, const Visit& visit) const;

  BaseWeights as_ = BaseWeights::kPlain;
  torch::Tensor codes_;   ///< the weights if plain or bf16; {out, bytes} if NF4
  torch::Tensor scales_;  ///< fp32 {out, 1} or {out, blocks}; scales of the codes if those exist
  torch::Tensor scale_codes_;  ///< int8 {out, blocks} for kNf4Double
  float scale_mean_ = 0;
  std::int64_t columns_ = 0;
  torch::ScalarType type_ = torch::kFloat32;  ///< type of the arithmetic
};

}  // namespace ebb::train
