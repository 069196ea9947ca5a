#include "train/loop/energy_counter.h"

#include <dlfcn.h>

#include <utility>

#include "platform/shared_library.h"

namespace ebb::train {
namespace {

using platform::FindFunction;

// Success is 0 in both of NVIDIA's libraries.
constexpr int kSuccess = 0;
constexpr int kBusIdLength = 32;

}  // namespace

std::optional<std::string> PciBusIdOf(int cuda_device) {
  // The library of the driver stays loaded: LibTorch uses it.
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return std::nullopt;
  int (*init)(unsigned) = nullptr;
  int (*device_of)(int*, int) = nullptr;
  int (*bus_id_of)(char*, int, int) = nullptr;
  FindFunction(driver, "cuInit", init);
  FindFunction(driver, "cuDeviceGet", device_of);
  FindFunction(driver, "cuDeviceGetPCIBusId", bus_id_of);
  int device = 0;
  char text[kBusIdLength] = {};
  if (!init || !device_of || !bus_id_of || init(0) != kSuccess ||
      device_of(&device, cuda_device) != kSuccess ||
      bus_id_of(text, kBusIdLength - 1, device) != kSuccess)
    return std::nullopt;
  return text;
}

struct EnergyCounter::Nvml {
  using Device = void*;

  explicit Nvml(void* library) : handle(library) {
    FindFunction(handle, "nvmlInit_v2", init);
    FindFunction(handle, "nvmlShutdown", shutdown);
    FindFunction(handle, "nvmlDeviceGetHandleByPciBusId_v2", by_bus_id);
    FindFunction(handle, "nvmlDeviceGetMigMode", mig_mode);
    FindFunction(handle, "nvmlDeviceGetTotalEnergyConsumption", total_energy);
    started = init && shutdown && by_bus_id && total_energy && init() == kSuccess;
  }
  ~Nvml() {
    if (started) shutdown();
    ::dlclose(handle);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // GPUs that cannot be divided answer that they do not support the question.
  bool IsDivided() const {
    unsigned now = 0, after_reset = 0;
    return mig_mode && mig_mode(device, &now, &after_reset) == kSuccess && now != 0;
  }

  void* handle;
  bool started = false;
  Device device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_bus_id)(const char*, Device*) = nullptr;
  int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  int (*total_energy)(Device, unsigned long long*) = nullptr;
};

std::unique_ptr<EnergyCounter> EnergyCounter::Open(const std::string& nvml_file,
                                                   const std::string& pci_bus_id) {
  void* const handle = ::dlopen(nvml_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  auto nvml = std::make_unique<Nvml>(handle);
  if (!nvml->started || nvml->by_bus_id(pci_bus_id.c_str(), &nvml->device) != kSuccess ||
      nvml->IsDivided())
    return nullptr;
  std::unique_ptr<EnergyCounter> counter(new EnergyCounter(std::move(nvml)));
  return counter->Joules() ? std::move(counter) : nullptr;
}

EnergyCounter::EnergyCounter(std::unique_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {}
EnergyCounter::~EnergyCounter() = default;

std::optional<double> EnergyCounter::Joules() const {
  unsigned long long millijoules = 0;
  if (nvml_->total_energy(nvml_->device, &millijoules) != kSuccess) return std::nullopt;
  return static_cast<double>(millijoules) / 1e3;
}

}  // namespace ebb::train
