#include "train/files/tensor_of_bytes.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace ebb::train {

std::string DtypeName(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat64:
      return "F64";
    case torch::kFloat32:
      return "F32";
    case torch::kBFloat16:
      return "BF16";
    case torch::kFloat16:
      return "F16";
    case torch::kInt8:
      return "I8";
    case torch::kInt64:
      return "I64";
    default:
      EBB_CHECK(type == torch::kUInt8);
      return "U8";
  }
}

std::optional<torch::ScalarType> WeightType(const std::string& dtype) {
  if (dtype == "F64") return torch::kFloat64;
  if (dtype == "F32") return torch::kFloat32;
  if (dtype == "BF16") return torch::kBFloat16;
  if (dtype == "F16") return torch::kFloat16;
  return std::nullopt;
}

TensorBytes BytesOf(const std::string& name, const torch::Tensor& portable) {
  return {name,
          DtypeName(portable.scalar_type()),
          portable.sizes().vec(),
          {static_cast<const char*>(portable.data_ptr()), portable.nbytes()}};
}

NamedTensors Portable(NamedTensors tensors) {
  for (auto& [name, tensor] : tensors) tensor = tensor.detach().to(torch::kCPU).contiguous();
  return tensors;
}

std::vector<TensorBytes> BytesOf(const NamedTensors& portable) {
  std::vector<TensorBytes> bytes;
  for (const auto& [name, tensor] : portable) bytes.push_back(BytesOf(name, tensor));
  return bytes;
}

torch::Tensor TensorOver(const TensorBytes& bytes, torch::ScalarType type,
                         std::shared_ptr<const void> owner) {
  const auto options = torch::dtype(type);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data.data());
  if (bytes.data.empty() || address % c10::elementSize(type) != 0) {
    torch::Tensor copy = torch::empty(bytes.shape, options);
    if (!bytes.data.empty()) std::memcpy(copy.data_ptr(), bytes.data.data(), bytes.data.size());
    return copy;
  }
  // from_blob takes a mutable pointer; a write would change only this process's copy of the page.
  return torch::from_blob(
      const_cast<char*>(bytes.data.data()), bytes.shape, [owner = std::move(owner)](void*) {},
      options);
}

}  // namespace ebb::train
