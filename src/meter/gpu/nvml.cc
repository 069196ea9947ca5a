#include "meter/gpu/nvml.h"

#include <algorithm>
#include <functional>
#include <set>

#include "meter/gpu/cuda_visible.h"

namespace ebb::meter {
namespace {

std::optional<core::EnergySource> BestSource(const GpuLibrary& library, GpuLibrary::Device device) {
  if (library.TotalMicrojoules(device)) return core::EnergySource::kCounter;
  if (library.PowerWatts(device)) return core::EnergySource::kPowerIntegral;
  return std::nullopt;
}

// True if the power can be estimated: the GPU reports its load, and its profile is known.
bool CanModel(const GpuLibrary& library, const MeteredGpu& gpu) {
  return core::EstimatedPower(gpu.profile, 0) && library.UtilisationPercent(gpu.handle);
}

// CUDA numbers the fastest GPU first by default, NVML numbers GPUs by PCI bus.
bool NumberingIsUncertain(const std::vector<std::string>& models,
                          const std::optional<std::string>& cuda_visible_devices) {
  const bool alike =
      std::adjacent_find(models.begin(), models.end(), std::not_equal_to<>()) == models.end();
  const bool has_index =
      cuda_visible_devices && cuda_visible_devices->find_first_of("0123456789") == 0;
  return !alike && has_index;
}

// The reason why the GPU cannot be metered. If it reports neither energy nor power, the problem of
// the power reading says more.
std::string WhyNot(const GpuLibrary& library, GpuLibrary::Device device) {
  const auto power = library.PowerWatts(device);
  if (power || power.error() == GpuProblem::kUnsupported)
    return "it reports neither energy nor power";
  return Describe(power.error());
}

}  // namespace

GpuScan MeterGpus(std::unique_ptr<GpuLibrary> library, std::vector<MeteredGpu> gpus,
                  std::vector<std::string> notes,
                  std::span<const core::DeviceProfile> own_profiles) {
  GpuScan scan;
  scan.notes = std::move(notes);
  std::vector<MeteredGpu> metered;
  std::set<std::string> seen;
  for (MeteredGpu& gpu : gpus) {
    // Partitions of a card share its identity and its counter, so a card is metered once.
    if (!seen.insert(gpu.uuid).second) continue;
    auto source = BestSource(*library, gpu.handle);
    if (!source) gpu.profile = core::ProfileOf(gpu.model, own_profiles);
    if (!source && CanModel(*library, gpu)) {
      source = core::EnergySource::kModel;
      scan.notes.push_back("GPU " + gpu.uuid + " (" + gpu.model +
                           ") reports neither energy nor power: estimated from its load and what " +
                           gpu.profile.source + " says of its maximum");
    }
    if (!source) {
      scan.notes.push_back("GPU " + gpu.uuid + " (" + gpu.model +
                           ") is not metered: " + WhyNot(*library, gpu.handle));
      continue;
    }
    gpu.source = *source;
    scan.gpu_models.push_back(gpu.model);
    scan.holdings.push_back({gpu.device(), gpu.share});
    metered.push_back(std::move(gpu));
  }
  if (!metered.empty())
    scan.meter = std::make_unique<GpuMeter>(std::move(library), std::move(metered));
  return scan;
}

GpuScan ScanGpus(const std::string& nvml_library,
                 const std::optional<std::string>& cuda_visible_devices,
                 std::span<const core::DeviceProfile> own_profiles) {
  auto library = NvmlLibrary::Open(nvml_library);
  if (!library) {
    GpuScan scan;
    scan.notes.push_back("NVIDIA GPUs are not metered: " + library.error().Message());
    return scan;
  }
  const auto devices = (*library)->Devices();
  std::vector<std::string> uuids, models;
  for (const auto device : devices) {
    uuids.push_back((*library)->Uuid(device));
    models.push_back((*library)->Name(device));
  }
  GpuSelection selection = SelectGpus(devices, uuids, cuda_visible_devices, **library);
  if (NumberingIsUncertain(models, cuda_visible_devices))
    selection.notes.push_back(
        "CUDA_VISIBLE_DEVICES: numbers are taken in PCI bus order; the GPUs of this machine "
        "differ, "
        "so set CUDA_DEVICE_ORDER=PCI_BUS_ID (or use UUIDs) for CUDA to count the same way");
  std::vector<MeteredGpu> gpus;
  for (const VisibleGpu& visible : selection.gpus) {
    const std::size_t i = visible.index;
    gpus.push_back({devices[i], uuids[i], models[i], core::EnergySource::kCounter, visible.share});
  }
  return MeterGpus(std::move(*library), std::move(gpus), std::move(selection.notes), own_profiles);
}

}  // namespace ebb::meter
