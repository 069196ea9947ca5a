#include "meter/nvml_library.h"

#include <dlfcn.h>

namespace ebb::meter {
namespace {

using NvmlReturn = int;
constexpr NvmlReturn kSuccess = 0;
constexpr unsigned kTextLength = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE, ..._UUID_V2_...

struct UtilisationRates {
  unsigned gpu_percent;
  unsigned memory_percent;
};

template <typename Function>
void Load(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
}

}  // namespace

struct NvmlLibrary::Functions {
  NvmlReturn (*init)();
  NvmlReturn (*shutdown)();
  const char* (*error_string)(NvmlReturn);
  NvmlReturn (*count)(unsigned*);
  NvmlReturn (*by_index)(unsigned, Device*);
  NvmlReturn (*by_uuid)(const char*, Device*);
  NvmlReturn (*parent_of_mig)(Device, Device*);
  NvmlReturn (*uuid)(Device, char*, unsigned);
  NvmlReturn (*name)(Device, char*, unsigned);
  NvmlReturn (*total_energy)(Device, unsigned long long*);
  NvmlReturn (*power)(Device, unsigned*);
  NvmlReturn (*utilisation)(Device, UtilisationRates*);

  explicit Functions(void* handle) {
    Load(handle, "nvmlInit_v2", init);
    Load(handle, "nvmlShutdown", shutdown);
    Load(handle, "nvmlErrorString", error_string);
    Load(handle, "nvmlDeviceGetCount_v2", count);
    Load(handle, "nvmlDeviceGetHandleByIndex_v2", by_index);
    Load(handle, "nvmlDeviceGetHandleByUUID", by_uuid);
    Load(handle, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", parent_of_mig);
    Load(handle, "nvmlDeviceGetUUID", uuid);
    Load(handle, "nvmlDeviceGetName", name);
    Load(handle, "nvmlDeviceGetTotalEnergyConsumption", total_energy);
    Load(handle, "nvmlDeviceGetPowerUsage", power);
    Load(handle, "nvmlDeviceGetUtilizationRates", utilisation);
  }
  // The rest came with later drivers and may be missing.
  bool usable() const {
    return init && shutdown && error_string && count && by_index && uuid && name;
  }
};

Result<std::unique_ptr<NvmlLibrary>> NvmlLibrary::Open(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Fail(
        {ExitCode::kUnavailable, "NVML is not installed", file, "it comes with the NVIDIA driver"});
  auto functions = std::make_unique<Functions>(handle);
  if (!functions->usable()) {
    ::dlclose(handle);
    return Fail({ExitCode::kUnavailable, "is too old or not NVML", file, "update the driver"});
  }
  if (const NvmlReturn code = functions->init(); code != kSuccess) {
    const std::string cause = functions->error_string(code);
    ::dlclose(handle);
    return Fail({ExitCode::kUnavailable, "NVML does not start: " + cause, file,
                 "nvidia-smi should show the same; check the driver"});
  }
  return std::unique_ptr<NvmlLibrary>(new NvmlLibrary(handle, std::move(functions)));
}

NvmlLibrary::NvmlLibrary(void* handle, std::unique_ptr<Functions> functions)
    : handle_(handle), functions_(std::move(functions)) {}

NvmlLibrary::~NvmlLibrary() {
  functions_->shutdown();
  ::dlclose(handle_);
}

std::vector<NvmlLibrary::Device> NvmlLibrary::Devices() const {
  unsigned count = 0;
  std::vector<Device> devices;
  if (functions_->count(&count) != kSuccess) return devices;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (functions_->by_index(i, &device) == kSuccess) devices.push_back(device);
  }
  return devices;
}

std::string NvmlLibrary::Uuid(Device device) const {
  char text[kTextLength] = {};
  return functions_->uuid(device, text, kTextLength) == kSuccess ? text : "";
}

std::string NvmlLibrary::Name(Device device) const {
  char text[kTextLength] = {};
  return functions_->name(device, text, kTextLength) == kSuccess ? text : "unknown GPU";
}

std::optional<std::string> NvmlLibrary::ParentOfMig(const std::string& mig_uuid) const {
  Device mig = nullptr;
  Device parent = nullptr;
  if (!functions_->by_uuid || !functions_->parent_of_mig) return std::nullopt;
  if (functions_->by_uuid(mig_uuid.c_str(), &mig) != kSuccess) return std::nullopt;
  if (functions_->parent_of_mig(mig, &parent) != kSuccess) return std::nullopt;
  return Uuid(parent);
}

std::optional<std::int64_t> NvmlLibrary::TotalMillijoules(Device device) const {
  unsigned long long millijoules = 0;
  if (!functions_->total_energy || functions_->total_energy(device, &millijoules) != kSuccess)
    return std::nullopt;
  return static_cast<std::int64_t>(millijoules);
}

std::optional<double> NvmlLibrary::PowerWatts(Device device) const {
  unsigned milliwatts = 0;
  if (!functions_->power || functions_->power(device, &milliwatts) != kSuccess) return std::nullopt;
  return milliwatts / 1000.0;
}

std::optional<double> NvmlLibrary::UtilisationPercent(Device device) const {
  UtilisationRates rates{};
  if (!functions_->utilisation || functions_->utilisation(device, &rates) != kSuccess)
    return std::nullopt;
  return rates.gpu_percent;
}

}  // namespace ebb::meter
