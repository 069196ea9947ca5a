#pragma once
// From bytes with a name, a type and a shape (safetensors.h) to tensors, and back.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/libtorch.h"
#include "train/named_tensors.h"
#include "train/safetensors.h"

namespace ebb::train {

/// "F32" for fp32; the types that a checkpoint or a model has.
std::string DtypeName(torch::ScalarType type);
/// Nothing for a type that is not a number format of weights.
std::optional<torch::ScalarType> WeightType(const std::string& dtype);

/// Borrows `portable`, which is contiguous and on the CPU.
TensorBytes BytesOf(const std::string& name, const torch::Tensor& portable);

/// Contiguous copies on the CPU where the tensors are not that already.
NamedTensors Portable(NamedTensors tensors);
/// Borrows them all.
std::vector<TensorBytes> BytesOf(const NamedTensors& portable);

/// A tensor over the bytes, which `owner` keeps alive; a copy where the bytes are not aligned.
torch::Tensor TensorOver(const TensorBytes& bytes, torch::ScalarType type,
                         std::shared_ptr<const void> owner);

}  // namespace ebb::train
