#include "train/language/products/weight_operations.h"

#include <bit>
#include <limits>
#include <vector>

#include "train/devices/fused_kernels.h"
#include "train/files/weight_codes.h"

namespace ebb::train {
namespace {

using torch::Tensor;

constexpr auto kBlock = static_cast<std::int64_t>(kNf4Block);
// As in weight_codes.cc.
constexpr double kLeastMagnitude = 1e-30F;

// The largest magnitude over the last dimension, which stays; NaN where a value is not finite.
Tensor LargestMagnitude(const Tensor& values) {
  const Tensor largest = values.abs().amax(-1, /*keepdim=*/true);
  const Tensor finite = largest.masked_fill(largest.lt(kLeastMagnitude), 0);
  return finite.masked_fill(largest.isfinite().logical_not(),
                            std::numeric_limits<double>::quiet_NaN());
}

// values / scale, and 0 where there is no scale.
Tensor Divided(const Tensor& values, const Tensor& scales) {
  const Tensor has_scale = scales.gt(0);
  const Tensor inverse = scales.reciprocal().masked_fill(has_scale.logical_not(), 0);
  return torch::where(has_scale, values * inverse, torch::zeros({}, values.options()));
}

WeightTensors EncodeInt8(const Tensor& values) {
  const Tensor scales = LargestMagnitude(values) / 127;
  return {Divided(values, scales).round_().clamp_(-127, 127).to(torch::kInt8), scales};
}

WeightTensors EncodeNf4(const Tensor& values) {
  std::vector<float> borders;
  for (std::size_t i = 0; i + 1 < kNf4Levels.size(); ++i)
    borders.push_back((kNf4Levels[i] + kNf4Levels[i + 1]) / 2);
  const std::int64_t rows = values.size(0), columns = values.size(1);
  const auto blocks = static_cast<std::int64_t>(Nf4Blocks(static_cast<std::size_t>(columns)));
  const Tensor by_block =
      torch::constant_pad_nd(values, {0, blocks * kBlock - columns}).view({rows, blocks, kBlock});
  const Tensor scales = LargestMagnitude(by_block);
  const Tensor codes = torch::bucketize(Divided(by_block, scales).contiguous(),
                                        torch::tensor(borders).to(values.device()),
                                        /*out_int32=*/true)
                           .view({rows, -1, 2});
  const Tensor bytes = codes.select(2, 0).mul(16).add_(codes.select(2, 1)).to(torch::kUInt8);
  return {bytes, scales.squeeze(-1)};
}

// For each byte the two levels that it stands for, as one number of eight bytes: gathering such
// numbers is faster than gathering pairs. The tensor lives as long as the process, because a
// device's library may be gone when static objects are destroyed.
const Tensor& PairsOn(torch::Device device) {
  thread_local Tensor* pairs = nullptr;
  if (pairs == nullptr || pairs->device() != device) {
    std::vector<float> levels;
    for (std::size_t byte = 0; byte < 256; ++byte)
      levels.insert(levels.end(), {kNf4Levels[byte >> 4], kNf4Levels[byte & 15]});
    pairs = new Tensor(torch::tensor(levels).to(device).view(torch::kFloat64));
  }
  return *pairs;
}

// Multiplied in fp32 and rounded once to `type`. On a GPU one kernel does both.
Tensor Product(const Tensor& codes, const Tensor& scales, torch::ScalarType type) {
  if (!codes.is_cuda()) return codes.to(torch::kFloat32).mul_(scales).to(type);
  Tensor product = torch::empty(codes.sizes(), codes.options().dtype(type));
  return at::mul_out(product, codes, scales);
}

Tensor DecodeNf4(const WeightTensors& weights, std::int64_t columns, torch::ScalarType type) {
  const std::int64_t rows = weights.codes.size(0), blocks = weights.scales.size(1);
  const Tensor codes = weights.codes.contiguous();
  const Tensor scales = weights.scales.reshape({rows * blocks, 1});
  Tensor decoded;
  if (type == torch::kBFloat16 && codes.is_cuda())
    decoded = FusedNf4Decode(codes.view({rows * blocks, kBlock / 2}), scales);
  if (!decoded.defined()) {
    const Tensor levels = PairsOn(codes.device())
                              .index_select(0, codes.flatten().to(torch::kInt32))
                              .view(torch::kFloat32)
                              .view({rows * blocks, kBlock});
    decoded = Product(levels, scales, type);
  }
  return decoded.view({rows, blocks * kBlock}).narrow(1, 0, columns);
}

}  // namespace

WeightTensors EncodeByOperations(const Tensor& values, BaseWeights as) {
  return as == BaseWeights::kInt8 ? EncodeInt8(values) : EncodeNf4(values);
}

Tensor DecodeByOperations(const WeightTensors& weights, BaseWeights as, std::int64_t columns,
                          torch::ScalarType type) {
  if (as != BaseWeights::kInt8) return DecodeNf4(weights, columns, type);
  return Product(weights.codes, weights.scales, type);
}

Tensor DecodeScalesByOperations(const Tensor& codes, std::int64_t first, const Tensor& block_scales,
                                float mean) {
  const Tensor of_which =
      torch::arange(first, first + codes.numel(), codes.options().dtype(torch::kInt64))
          .div(static_cast<std::int64_t>(kScaleBlock), "floor");
  return codes.to(torch::kFloat32)
      .mul_(block_scales.index_select(0, of_which).view(codes.sizes()))
      .add_(mean)
      .clamp_min_(0);
}

}  // namespace ebb::train
