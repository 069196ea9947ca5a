#include "meter/fake_nvml.h"

#include <cstring>

namespace {

using ebb::meter::FakeGpu;
using ebb::meter::FakeNvmlState;

constexpr int kSuccess = 0, kNotSupported = 3, kNotFound = 6, kDriverNotLoaded = 9;

FakeNvmlState& State() {
  static FakeNvmlState state;
  return state;
}

const FakeGpu& Gpu(const void* device) { return *static_cast<const FakeGpu*>(device); }

int CopyText(const std::string& text, char* out, unsigned length) {
  std::strncpy(out, text.c_str(), length - 1);
  return kSuccess;
}

}  // namespace

extern "C" {

FakeNvmlState* FakeNvml() { return &State(); }

int nvmlInit_v2() {
  if (!State().driver_loaded) return kDriverNotLoaded;
  ++State().initialised;
  return kSuccess;
}

int nvmlShutdown() {
  --State().initialised;
  return kSuccess;
}

const char* nvmlErrorString(int) { return "Driver Not Loaded"; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(State().gpus.size());
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &State().gpus[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  for (FakeGpu& gpu : State().gpus) {
    if (gpu.uuid != uuid && gpu.mig_uuid != uuid) continue;
    *device = &gpu;
    return kSuccess;
  }
  return kNotFound;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* mig, void** parent) {
  *parent = mig;
  return kSuccess;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  return CopyText(Gpu(device).uuid, text, length);
}

int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  return CopyText(Gpu(device).name, text, length);
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (Gpu(device).millijoules < 0) return kNotSupported;
  *millijoules = static_cast<unsigned long long>(Gpu(device).millijoules);
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  if (Gpu(device).milliwatts < 0) return kNotSupported;
  *milliwatts = static_cast<unsigned>(Gpu(device).milliwatts);
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_and_memory_percent) {
  gpu_and_memory_percent[0] = static_cast<unsigned>(Gpu(device).utilisation_percent);
  gpu_and_memory_percent[1] = 0;
  return kSuccess;
}
}
