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

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "meter/exporter.h"
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

class DcgmExporter : public Exporter<std::vector<DcgmGpu>> {
 public:
  explicit DcgmExporter(Ports ports)
      : Exporter(std::move(ports), DcgmGpusFromText, "dcgm-exporter does not tell of GPUs") {}

  const std::vector<DcgmGpu>& gpus() const { return told(); }
};

/// The devices are those of the exporter's first answer, which must have come. One of which it
/// tells nothing any more is lost.
std::unique_ptr<GpuLibrary> LibraryOf(std::shared_ptr<DcgmExporter> exporter);

}  // namespace ebb::meter
