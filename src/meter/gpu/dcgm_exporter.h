#pragma once
// NVIDIA's GPUs as dcgm-exporter tells of them: for an agent whose container has no library of the
// driver, on a node where the exporter runs. It counts energy, and names the pod that holds each
// GPU or slice, whether or not a process is on it.
//
// It speaks Prometheus's text format. One sample for each GPU and field, or for each slice of it:
//
//   DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="GPU-...",modelName="NVIDIA A100",
//     GPU_I_PROFILE="3g.40gb",GPU_I_ID="1",namespace="lab",pod="train-0"}          millijoules
//   DCGM_FI_DEV_POWER_USAGE{...}                                                   watts
//   DCGM_FI_DEV_GPU_UTIL{...}                                                      percent
//
// Exporters before 2.3 write uuid, pod_name and pod_namespace; pod_uid is there on request. They
// look at the GPUs every 30 s by default, so that their figures stand still in between.
//
// Source: https://docs.nvidia.com/datacenter/dcgm/latest (DCGM Exporter Metrics).
//
// Not thread-safe: one thread at a time.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "meter/gpu/gpu_library.h"

namespace ebb::meter {

struct DcgmGpu {
  std::string uuid, model;
  std::optional<std::int64_t> microjoules;
  std::optional<double> watts, utilisation_percent;
  /// What part of it each pod has: by uid, or as "namespace/name" where the exporter tells no uid.
  std::map<std::string, double> pods;
};

/// In the exporter's order. An Error: it is no such text, or tells of no GPU.
Result<std::vector<DcgmGpu>> DcgmGpusFromText(std::string_view text);

class DcgmExporter {
 public:
  using Clock = std::chrono::steady_clock;
  struct Ports {
    /// The body of its /metrics.
    std::function<Result<std::string>()> fetch;
    std::function<Clock::time_point()> now = Clock::now;
  };
  explicit DcgmExporter(Ports ports) : ports_(std::move(ports)) {}
  /// Over HTTP; an answer may take two seconds.
  static std::shared_ptr<DcgmExporter> At(const std::string& url);

  /// Asks, unless it asked within the last second, or in vain within the last ten. An Error: what
  /// the last question came to.
  Status Look();
  /// As of the last answer; none while it does not answer.
  const std::vector<DcgmGpu>& gpus() const { return gpus_; }
  /// "the exporter does not answer: ..."; empty: it does.
  std::string trouble() const;

 private:
  Ports ports_;
  std::vector<DcgmGpu> gpus_;
  std::optional<Clock::time_point> asked_;
  Status answer_;
};

/// The devices are those of the exporter's first answer, which must have come. One of which it
/// tells nothing any more is lost.
std::unique_ptr<GpuLibrary> LibraryOf(std::shared_ptr<DcgmExporter> exporter);

}  // namespace ebb::meter
