#pragma once
// The safetensors container (huggingface/safetensors, "Format"): 8 bytes little-endian header
// length, a JSON header {name: {dtype, shape, data_offsets}}, then the data. Tensors are written
// largest item first so that each stays aligned; a reader checks every claim of the header. No
// LibTorch here: tensors are bytes with a name and a shape.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::train {

struct TensorBytes {
  std::string name;
  std::string dtype;  ///< "F64", "F32", "BF16", "F16", "I64" ... "U8", "BOOL"
  std::vector<std::int64_t> shape;
  std::string_view data;  ///< borrowed; row-major
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsView {
  Metadata metadata;
  std::vector<TensorBytes> tensors;  ///< borrow from the decoded file
};

/// The bytes before the data. Sorts the tensors in the order that their data must have.
std::string SafetensorsHeader(std::vector<TensorBytes>& tensors, const Metadata& metadata);

std::string EncodeSafetensors(std::vector<TensorBytes> tensors, const Metadata& metadata);

/// The view borrows from `file`. `name` is for messages; errors have ExitCode::kConfiguration.
Result<SafetensorsView> DecodeSafetensors(std::string_view file, const std::string& name);

}  // namespace ebb::train
