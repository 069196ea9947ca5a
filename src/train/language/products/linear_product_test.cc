#include "train/language/products/linear_product.h"

#include <gtest/gtest.h>

namespace ebb::train {
namespace {

using torch::Tensor;

Tensor Random(std::vector<std::int64_t> sizes) {
  return torch::randn(sizes, torch::dtype(torch::kFloat64));
}

// Compares with the sum of products in fp64.
void ExpectProduct(const Tensor& x, const Tensor& weight, const Tensor& bias = {}) {
  const Tensor product = LinearProduct(x, weight, bias);
  Tensor wanted = torch::matmul(x.to(torch::kFloat64), weight.to(torch::kFloat64).t());
  if (bias.defined()) wanted = wanted + bias.to(torch::kFloat64);
  EXPECT_EQ(product.scalar_type(), x.scalar_type());
  ASSERT_EQ(product.sizes(), wanted.sizes());
  const double within = x.scalar_type() == torch::kFloat32 ? 1e-5 : 1e-12;
  EXPECT_TRUE(torch::allclose(product.to(torch::kFloat64), wanted, within, within));
}

TEST(LinearProduct, IsThatOfAnyShapesAndStrides) {
  torch::manual_seed(1);
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const Tensor weight = Random({48, 32}).to(type), bias = Random({48}).to(type);
    for (const std::int64_t rows : {0, 1, 2, 17, 128}) {
      const Tensor x = Random({rows, 32}).to(type);
      ExpectProduct(x, weight);
      ExpectProduct(x, weight, bias);
      ExpectProduct(Random({rows, 48}).to(type), weight.t());
      ExpectProduct(x, weight.narrow(0, 16, 16), bias.narrow(0, 16, 16));
      ExpectProduct(x.narrow(1, 8, 16), weight.narrow(1, 16, 16));
    }
    ExpectProduct(Random({1, 1, 32}).to(type), weight, bias);
    ExpectProduct(Random({3, 5, 32}).to(type), weight, bias);
    ExpectProduct(Random({5, 3, 32}).to(type).transpose(0, 1), weight, bias);
  }
}

// For one row, as in generation, only the result is rounded to bf16: by half of its last bit.
TEST(LinearProduct, OfOneRowInBf16IsSummedInFp32) {
  torch::manual_seed(2);
  const Tensor weight = Random({300, 896}).to(torch::kBFloat16);
  const Tensor x = Random({1, 1, 896}).to(torch::kBFloat16);
  const Tensor wanted = torch::matmul(x.to(torch::kFloat64), weight.to(torch::kFloat64).t());
  const Tensor product = LinearProduct(x, weight);
  EXPECT_EQ(product.scalar_type(), torch::kBFloat16);
  EXPECT_EQ(product.sizes(), wanted.sizes());
  EXPECT_TRUE(torch::allclose(product.to(torch::kFloat64), wanted, 0.0039, 1e-3));
}

TEST(LinearProduct, RecordsNoGraph) {
  const Tensor x = torch::randn({4, 8}).requires_grad_();
  EXPECT_FALSE(LinearProduct(x, torch::randn({6, 8})).requires_grad());
}

}  // namespace
}  // namespace ebb::train
