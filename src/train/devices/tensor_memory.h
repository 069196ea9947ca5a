#pragma once
// The bytes that tensors take on a device, and their peak: LibTorch's allocators report every
// allocation to an observer of the current thread (and of the backward passes it starts). This is
// not the resident size of the process: it excludes scratch memory inside a library's kernels and
// the allocator's slack.

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
