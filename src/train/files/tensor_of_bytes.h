#pragma once
// Conversion between bytes with a name, a type and a shape (safetensors.h) and tensors.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/devices/named_tensors.h"
#include "train/files/safetensors.h"
#include "train/libtorch.h"

namespace ebb::train {

/// "F32" for fp32; knows the types of checkpoints and models.
std::string DtypeName(torch::ScalarType type);
/// Nothing if the type is not a number format of weights.
std::optional<torch::ScalarType> WeightType(const std::string& dtype);

/// Borrows `portable`, which must be contiguous and on the CPU.
TensorBytes BytesOf(const std::string& name, const torch::Tensor& portable);

/// Contiguous tensors on the CPU; those that are not so already are copied.
NamedTensors Portable(NamedTensors tensors);
/// Borrows all of `portable`.
std::vector<TensorBytes> BytesOf(const NamedTensors& portable);

/// A tensor over the bytes, which `owner` keeps alive; a copy if the bytes are not aligned.
torch::Tensor TensorOver(const TensorBytes& bytes, torch::ScalarType type,
                         std::shared_ptr<const void> owner);

}  // namespace ebb::train
