#pragma once
// Turns samples of a data set in memory into tensors on a device: samples are gathered by index,
// normalised and, for CUDA, copied from pinned memory without waiting.

#include <cstdint>
#include <span>

#include "train/dataset.h"
#include "train/libtorch.h"

namespace ebb::train {

struct Batch {
  torch::Tensor images;  ///< {batch, 1, rows, columns}, normalised
  torch::Tensor labels;  ///< {batch}, int64
};

class BatchSource {
 public:
  /// Borrows the data set.
  BatchSource(const Dataset& dataset, torch::Device device) : dataset_(dataset), device_(device) {}

  Batch Gather(std::span<const std::uint32_t> samples) const;
  std::size_t size() const { return dataset_.size(); }
  torch::Device device() const { return device_; }

 private:
  const Dataset& dataset_;
  torch::Device device_;
};

}  // namespace ebb::train
