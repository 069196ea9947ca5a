#pragma once
// Turns samples of a data set in memory into tensors on a device. The data set's bytes lie there
// already, if they fit, and are gathered and normalised there; otherwise samples are gathered and
// normalised on the CPU and, for CUDA, copied from pinned memory without waiting. Both give the
// same bits.

#include <cstdint>
#include <span>

#include "train/data/dataset.h"
#include "train/libtorch.h"
#include "train/options/data_options.h"

namespace ebb::train {

struct Batch {
  torch::Tensor images;  ///< {batch, 1, rows, columns}, normalised
  torch::Tensor labels;  ///< {batch}, int64
};

class BatchSource {
 public:
  /// Borrows the data set. `auto`: on the device if that is a GPU and the data set is small.
  BatchSource(const Dataset& dataset, torch::Device device, DataPlace place = DataPlace::kAuto);

  Batch Gather(std::span<const std::uint32_t> samples) const;
  /// The same for numbers of samples {batch} int64 on the device; the data must be there, too.
  Batch Gather(const torch::Tensor& samples) const;
  bool is_on_device() const { return pixels_.defined(); }
  std::size_t size() const { return dataset_.size(); }
  torch::Device device() const { return device_; }

 private:
  Batch GatherOnHost(std::span<const std::uint32_t> samples) const;

  const Dataset& dataset_;
  torch::Device device_;
  torch::Tensor pixels_;      ///< {samples, rows x columns} bytes on the device, or undefined
  torch::Tensor labels_;      ///< {samples} int64 there
  torch::Tensor normalised_;  ///< {256}: the number for each byte
};

}  // namespace ebb::train
