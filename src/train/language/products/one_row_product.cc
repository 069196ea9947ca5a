#include "train/language/products/one_row_product.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <span>

#include "train/language/products/dot_product.h"

namespace ebb::train {
namespace {

using torch::Tensor;

constexpr std::int64_t kGrainWeights = 1 << 16;

bool IsSummedInFp32(torch::ScalarType type) {
  return type == torch::kFloat32 || type == torch::kBFloat16;
}

template <typename Weight>
Sums SumsOf(const Tensor& weight) {
  const auto* first_row = static_cast<const Weight*>(weight.data_ptr());
  const std::int64_t stride = weight.stride(0);
  const auto columns = static_cast<std::size_t>(weight.size(1));
  return [=](std::int64_t first, std::int64_t end, const float* x, float* y) {
    for (std::int64_t row = first; row < end; ++row)
      y[row] = DotProduct(std::span(first_row + row * stride, columns), x);
  };
}

}  // namespace

bool IsOneRow(const Tensor& x) {
  return x.is_cpu() && IsSummedInFp32(x.scalar_type()) && x.numel() > 0 && x.numel() == x.size(-1);
}

Tensor ProductOfOneRow(const Tensor& x, std::int64_t outputs, const Sums& sums) {
  const torch::NoGradGuard no_grad;
  const Tensor numbers = x.to(torch::kFloat32).contiguous();
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = outputs;
  const Tensor product = torch::empty(sizes, torch::dtype(torch::kFloat32));
  const float* from = numbers.data_ptr<float>();
  float* to = product.data_ptr<float>();
  at::parallel_for(0, outputs, std::max<std::int64_t>(1, kGrainWeights / x.size(-1)),
                   [&](std::int64_t first, std::int64_t end) { sums(first, end, from, to); });
  return product.to(x.scalar_type());
}

bool HasRowsOfNumbers(const Tensor& weight) {
  return IsSummedInFp32(weight.scalar_type()) && weight.stride(1) == 1;
}

Tensor ProductOfOneRow(const Tensor& x, const Tensor& weight) {
  return ProductOfOneRow(
      x, weight.size(0),
      weight.scalar_type() == torch::kFloat32 ? SumsOf<float>(weight) : SumsOf<Bf16>(weight));
}

}  // namespace ebb::train
