#include "meter/gpu/dcgm_exporter.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/exposition_reader.h"
#include "base/text.h"

namespace ebb::meter {
namespace {

constexpr std::string_view kFields = "DCGM_FI_DEV_";
constexpr double kMicrojoules = 1000;      // microjoules in a millijoule
constexpr double kMostMillijoules = 9e15;  // largest count whose microjoules fit into 64 bits
constexpr double kComputeSlices = 7;       // compute slices of a GPU that can be divided
constexpr double kComputeSlicesOfA30 = 4;

// Pods on one slice of a GPU. The slice with an empty name is the whole GPU.
struct Slice {
  double share = 1;
  std::set<std::string> pods;
};
using Slices = std::map<std::string, Slice>;

std::string_view EitherOf(const ExpositionSample& sample, const char* name, const char* older) {
  const std::string_view value = sample.Label(name);
  return value.empty() ? sample.Label(older) : value;
}

std::string PodOf(const ExpositionSample& sample) {
  if (const auto uid = sample.Label("pod_uid"); !uid.empty()) return std::string(uid);
  const std::string_view name = EitherOf(sample, "pod", "pod_name");
  const std::string_view space = EitherOf(sample, "namespace", "pod_namespace");
  if (name.empty() || space.empty()) return "";
  return std::string(space) + "/" + std::string(name);
}

// "3g.40gb" has three compute slices.
double ShareOf(std::string_view profile, std::string_view model) {
  const double of = model.find("A30") == std::string_view::npos || model.find("A300") != model.npos
                        ? kComputeSlices
                        : kComputeSlicesOfA30;
  const auto slices = ParseInteger(profile.substr(0, profile.find('g')));
  return slices && *slices > 0 ? std::min(1.0, static_cast<double>(*slices) / of) : 1;
}

void TakeValue(const ExpositionSample& sample, DcgmGpu& gpu) {
  const std::string_view field = std::string_view(sample.name).substr(kFields.size());
  const double value = sample.value;
  if (!std::isfinite(value) || value < 0) return;
  if (field == "TOTAL_ENERGY_CONSUMPTION" && value <= kMostMillijoules)
    gpu.microjoules = std::llround(value * kMicrojoules);
  else if (field == "POWER_USAGE")
    gpu.watts = value;
  else if (field == "GPU_UTIL")
    gpu.utilisation_percent = value;
}

void TakePod(const ExpositionSample& sample, const std::string& model, Slices& slices) {
  const std::string_view id = sample.Label("GPU_I_ID");
  Slice& slice = slices[std::string(id)];
  if (!id.empty()) slice.share = ShareOf(sample.Label("GPU_I_PROFILE"), model);
  if (std::string pod = PodOf(sample); !pod.empty()) slice.pods.insert(std::move(pod));
}

std::map<std::string, double> PartsOf(const Slices& slices) {
  std::map<std::string, double> parts;
  for (const auto& [id, slice] : slices)
    for (const std::string& pod : slice.pods)
      parts[pod] += slice.share / static_cast<double>(slice.pods.size());
  return parts;
}

class DcgmLibrary final : public GpuLibrary {
 public:
  explicit DcgmLibrary(std::shared_ptr<DcgmExporter> exporter) : exporter_(std::move(exporter)) {
    for (const DcgmGpu& gpu : exporter_->gpus()) known_.push_back({gpu.uuid, gpu.model});
  }

  const char* name() const override { return "dcgm-exporter"; }
  std::vector<Device> Devices() const override {
    std::vector<Device> devices;
    for (const Known& known : known_) devices.push_back(const_cast<Known*>(&known));
    return devices;
  }
  std::string Uuid(Device device) const override { return Of(device).uuid; }
  std::string Name(Device device) const override { return Of(device).model; }
  GpuAnswer<std::int64_t> TotalMicrojoules(Device device) const override {
    return Look(device, &DcgmGpu::microjoules);
  }
  GpuAnswer<double> PowerWatts(Device device) const override {
    return Look(device, &DcgmGpu::watts);
  }
  GpuAnswer<double> UtilisationPercent(Device device) const override {
    return Look(device, &DcgmGpu::utilisation_percent);
  }

 private:
  struct Known {
    std::string uuid, model;
  };
  static const Known& Of(Device device) { return *static_cast<const Known*>(device); }

  template <typename T>
  GpuAnswer<T> Look(Device device, std::optional<T> DcgmGpu::*field) const {
    using Problem = tl::unexpected<GpuProblem>;
    if (!exporter_->Look()) return Problem(GpuProblem::kOther);
    const auto found = std::ranges::find(exporter_->gpus(), Of(device).uuid, &DcgmGpu::uuid);
    if (found == exporter_->gpus().end()) return Problem(GpuProblem::kLost);
    const std::optional<T>& value = (*found).*field;
    return value ? GpuAnswer<T>(*value) : Problem(GpuProblem::kUnsupported);
  }

  std::shared_ptr<DcgmExporter> exporter_;
  std::vector<Known> known_;
};

}  // namespace

Result<std::vector<DcgmGpu>> DcgmGpusFromText(std::string_view text) {
  std::vector<DcgmGpu> gpus;
  std::vector<Slices> slices;
  EBB_RETURN_IF_ERROR(ForEachSample(text, [&](const ExpositionSample& sample) {
    const std::string_view uuid = EitherOf(sample, "UUID", "uuid");
    if (!sample.name.starts_with(kFields) || uuid.empty()) return;
    const auto found = std::ranges::find(gpus, uuid, &DcgmGpu::uuid);
    const auto index = static_cast<std::size_t>(found - gpus.begin());
    if (found == gpus.end()) {
      gpus.push_back({std::string(uuid), std::string(sample.Label("modelName")), {}, {}, {}, {}});
      slices.emplace_back();
    }
    TakeValue(sample, gpus[index]);
    TakePod(sample, gpus[index].model, slices[index]);
  }));
  if (gpus.empty())
    return Fail({ExitCode::kUnavailable, "it tells of no GPU", "",
                 "is it the address of dcgm-exporter, and does it see the GPUs?"});
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i].pods = PartsOf(slices[i]);
  return gpus;
}

std::unique_ptr<GpuLibrary> LibraryOf(std::shared_ptr<DcgmExporter> exporter) {
  return std::make_unique<DcgmLibrary>(std::move(exporter));
}

}  // namespace ebb::meter
