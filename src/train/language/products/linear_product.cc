#include "train/language/products/linear_product.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <utility>

#include "train/language/products/one_row_product.h"

namespace ebb::train {
namespace {

using torch::Tensor;

// LibTorch's operations are known only when it is loaded, not by its version: this one is absent if
// LibTorch was built without oneDNN.
const c10::optional<c10::OperatorHandle>& OneDnnLinear() {
  static const c10::optional<c10::OperatorHandle> operation =
      c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
  return operation;
}

// Calls the operation by name and boxed, because its C++ signature changes between versions.
Tensor ByOneDnn(const c10::OperatorHandle& operation, const Tensor& x, const Tensor& weight,
                const Tensor& bias) {
  torch::jit::Stack stack;
  stack.emplace_back(x);
  stack.emplace_back(weight);
  stack.emplace_back(bias.defined() ? c10::IValue(bias) : c10::IValue());
  stack.emplace_back(std::string("none"));  // no operation after the product
  stack.emplace_back(c10::List<c10::optional<at::Scalar>>());
  stack.emplace_back(c10::optional<std::string>(""));
  operation.callBoxed(&stack);
  return std::move(stack.front()).toTensor();
}

}  // namespace

Tensor LinearProduct(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const torch::NoGradGuard no_grad;
  if (IsOneRow(x) && HasRowsOfNumbers(weight)) {
    Tensor product = ProductOfOneRow(x, weight);
    return bias.defined() ? product.add_(bias) : product;
  }
  const auto& operation = OneDnnLinear();
  if (operation && x.is_cpu() && x.scalar_type() == torch::kFloat32 && x.numel() > 0)
    return ByOneDnn(*operation, x, weight, bias);
  return at::linear(x, weight, bias.defined() ? c10::optional<Tensor>(bias) : c10::nullopt);
}

}  // namespace ebb::train
