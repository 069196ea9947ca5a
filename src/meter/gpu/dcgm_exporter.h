#pragma once
// NVIDIA GPUs as dcgm-exporter reports them, for an agent whose container has no library of the
// driver, on a node where the exporter runs. The exporter counts energy and names the pod that
// holds each GPU or slice, even if no process uses it.
//
// The format is Prometheus's text format, with one sample for each field of each GPU or slice:
//
//   DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="GPU-...",modelName="NVIDIA A100",
//     GPU_I_PROFILE="3g.40gb",GPU_I_ID="1",namespace="lab",pod="train-0"}          millijoules
//   DCGM_FI_DEV_POWER_USAGE{...}                                                   watts
//   DCGM_FI_DEV_GPU_UTIL{...}                                                      percent
//
// Exporters before 2.3 write uuid, pod_name and pod_namespace; pod_uid is an option of the
// exporter. An exporter reads the GPUs every 30 s by default; its figures stand still in between.
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
  /// Share of the GPU that each pod has. The key is the pod's uid, or "namespace/name" if the
  /// exporter does not report uids.
  std::map<std::string, double> pods;
};

/// GPUs in the exporter's order. Fails if the text is not in the format or reports no GPU.
Result<std::vector<DcgmGpu>> DcgmGpusFromText(std::string_view text);

class DcgmExporter : public Exporter<std::vector<DcgmGpu>> {
 public:
  explicit DcgmExporter(Ports ports)
      : Exporter(std::move(ports), DcgmGpusFromText, "dcgm-exporter does not tell of GPUs") {}

  const std::vector<DcgmGpu>& gpus() const { return told(); }
};

/// A library of the GPUs in the exporter's first answer, which must have come. A GPU that is
/// missing from a later answer counts as lost.
std::unique_ptr<GpuLibrary> LibraryOf(std::shared_ptr<DcgmExporter> exporter);

}  // namespace ebb::meter
