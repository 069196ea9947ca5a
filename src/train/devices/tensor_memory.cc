#include "train/devices/tensor_memory.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <atomic>

namespace ebb::train {
namespace {

class Counter : public c10::MemoryReportingInfoBase {
 public:
  explicit Counter(torch::DeviceType device) : device_(device) {}

#if TORCH_VERSION_MAJOR >= 2
  using Total = std::size_t;
#else
  using Total = std::int64_t;
#endif
  void reportMemoryUsage(void* /*pointer*/, std::int64_t change_bytes, Total /*allocated*/,
                         Total /*reserved*/, c10::Device device) override {
    if (device.type() != device_) return;
    const std::int64_t now = current_.fetch_add(change_bytes) + change_bytes;
    std::int64_t seen = peak_.load();
    while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
    }
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t peak() const { return peak_.load(); }

 private:
  torch::DeviceType device_;
  std::atomic<std::int64_t> current_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
};

}  // namespace

struct TensorMemoryScope::State {
  explicit State(torch::DeviceType device)
      : counter(std::make_shared<Counter>(device)),
        guard(c10::DebugInfoKind::PROFILER_STATE, counter) {}
  std::shared_ptr<Counter> counter;
  c10::DebugInfoGuard guard;
};

TensorMemoryScope::TensorMemoryScope(torch::DeviceType device)
    : state_(std::make_unique<State>(device)) {}
TensorMemoryScope::~TensorMemoryScope() = default;
std::int64_t TensorMemoryScope::peak_bytes() const { return state_->counter->peak(); }

}  // namespace ebb::train
