#pragma once
// How many bytes tensors take on a device, and the most they took: LibTorch's allocators report
// every allocation to an observer of the current thread (and of the backward passes it starts). Not
// the resident size of the process: scratch memory inside a library's kernels and the allocator's
// slack are not in it.

#include <cstdint>
#include <memory>

#include "train/libtorch.h"

namespace ebb::train {

class TensorMemoryScope {
 public:
  explicit TensorMemoryScope(torch::DeviceType device);
  ~TensorMemoryScope();
  TensorMemoryScope(const TensorMemoryScope&) = delete;
  TensorMemoryScope& operator=(const TensorMemoryScope&) = delete;

  std::int64_t peak_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ebb::train
