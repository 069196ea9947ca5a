#include "train/devices/device_graph.h"

#include <cstdio>
#include <string>
#include <utility>

#ifdef EBB_CUDA_HEADERS
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#endif

namespace ebb::train {

#ifdef EBB_CUDA_HEADERS
namespace {

constexpr int kOrdinaryRuns = 3;

// Does work on a stream of its own, as recording demands.
class OwnStream {
 public:
  explicit OwnStream(torch::Device device)
      : implementation_(device.type()), stream_(implementation_.getStreamFromGlobalPool(device)) {}

  void Do(const std::function<void()>& work) const {
    torch::cuda::synchronize();
    const c10::Stream before = implementation_.exchangeStream(stream_);
    try {
      work();
    } catch (...) {
      implementation_.exchangeStream(before);
      throw;
    }
    implementation_.exchangeStream(before);
    torch::cuda::synchronize();
  }

 private:
  c10::impl::VirtualGuardImpl implementation_;
  c10::Stream stream_;
};

}  // namespace

struct DeviceGraph::Recording {
  explicit Recording(torch::Device device) : stream(device) {}
  OwnStream stream;
  std::unique_ptr<at::cuda::CUDAGraph> graph;
};

bool DeviceGraph::Available(torch::Device device) { return device.is_cuda(); }

void DeviceGraph::Run() {
  if (!Available(device_) || failed_) return work_();
  if (!recording_) recording_ = std::make_unique<Recording>(device_);
  if (recording_->graph == nullptr && runs_++ < kOrdinaryRuns) return recording_->stream.Do(work_);
  if (recording_->graph == nullptr) Record();
  failed_ ? work_() : recording_->graph->replay();
}

void DeviceGraph::Record() {
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  try {
    recording_->stream.Do([&] {
      graph->capture_begin();
      try {
        work_();
      } catch (...) {
        graph->capture_end();
        throw;
      }
      graph->capture_end();
    });
    recording_->graph = std::move(graph);
  } catch (const std::exception& error) {
    failed_ = true;
    std::fprintf(stderr, "ebb-train: updates cannot be recorded, which is slower: %s\n",
                 std::string(error.what()).substr(0, 200).c_str());
  }
}

#else

struct DeviceGraph::Recording {};

bool DeviceGraph::Available(torch::Device /*device*/) { return false; }

void DeviceGraph::Run() { work_(); }

#endif

DeviceGraph::DeviceGraph(torch::Device device, std::function<void()> work)
    : device_(device), work_(std::move(work)) {}

DeviceGraph::~DeviceGraph() = default;

}  // namespace ebb::train
