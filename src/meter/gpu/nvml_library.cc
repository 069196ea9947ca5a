#include "meter/gpu/nvml_library.h"

#include <dlfcn.h>

#include <algorithm>

#include "platform/shared_library.h"

namespace ebb::meter {
namespace {

using platform::FindFunction;

using NvmlReturn = int;
constexpr NvmlReturn kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kInsufficientSize = 7,
                     kGpuIsLost = 15, kResetRequired = 16, kVersionMismatch = 18;
constexpr unsigned kTextLength = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE, ..._UUID_V2_...

struct UtilisationRates {
  unsigned gpu_percent;
  unsigned memory_percent;
};

// Layout of nvmlEventData_t.
struct EventData {
  void* device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned long long kXidCriticalError = 0x8;
constexpr unsigned kNoInstance = 0xFFFFFFFF;
// XID errors that a program on the GPU causes, as NVIDIA's device plugin for Kubernetes counts
// them: graphics exception, page fault, stopped, cleaned up, video, context switch.
constexpr unsigned long long kXidsOfPrograms[] = {13, 31, 43, 45, 68, 109};

// Layout of nvmlDeviceAttributes_t.
struct MigAttributes {
  unsigned multiprocessors;
  unsigned copy_engines, decoders, encoders, jpeg_engines, ofa_engines;
  unsigned gpu_slices, compute_slices;
  unsigned long long memory_mb;
};

// Layout of nvmlProcessInfo_t in versions 2 and 3 of the functions.
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
// Room for processes that start between the question for the number and the question for the list.
constexpr unsigned kMoreProcesses = 16;

GpuProblem ProblemOf(NvmlReturn code) {
  if (code == kNotSupported) return GpuProblem::kUnsupported;
  if (code == kNoPermission) return GpuProblem::kNoPermission;
  if (code == kGpuIsLost) return GpuProblem::kLost;
  return GpuProblem::kOther;
}

tl::unexpected<GpuProblem> Problem(NvmlReturn code) {
  return tl::unexpected<GpuProblem>(ProblemOf(code));
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
  NvmlReturn (*power_limit)(Device, unsigned*);
  NvmlReturn (*default_power_limit)(Device, unsigned*);
  NvmlReturn (*power_limits)(Device, unsigned*, unsigned*);
  NvmlReturn (*set_power_limit)(Device, unsigned);
  NvmlReturn (*mig_mode)(Device, unsigned*, unsigned*);
  NvmlReturn (*most_mig_devices)(Device, unsigned*);
  NvmlReturn (*mig_by_index)(Device, unsigned, Device*);
  NvmlReturn (*gpu_instance)(Device, unsigned*);
  NvmlReturn (*compute_instance)(Device, unsigned*);
  NvmlReturn (*attributes)(Device, MigAttributes*);
  NvmlReturn (*computing)(Device, unsigned*, ProcessInfo*);
  NvmlReturn (*drawing)(Device, unsigned*, ProcessInfo*);
  NvmlReturn (*make_events)(void**);
  NvmlReturn (*register_events)(Device, unsigned long long, void*);
  NvmlReturn (*wait_for_event)(void*, EventData*, unsigned);
  NvmlReturn (*free_events)(void*);

  explicit Functions(void* handle) {
    FindFunction(handle, "nvmlInit_v2", init);
    FindFunction(handle, "nvmlShutdown", shutdown);
    FindFunction(handle, "nvmlErrorString", error_string);
    FindFunction(handle, "nvmlDeviceGetCount_v2", count);
    FindFunction(handle, "nvmlDeviceGetHandleByIndex_v2", by_index);
    FindFunction(handle, "nvmlDeviceGetHandleByUUID", by_uuid);
    FindFunction(handle, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", parent_of_mig);
    FindFunction(handle, "nvmlDeviceGetUUID", uuid);
    FindFunction(handle, "nvmlDeviceGetName", name);
    FindFunction(handle, "nvmlDeviceGetTotalEnergyConsumption", total_energy);
    FindFunction(handle, "nvmlDeviceGetPowerUsage", power);
    FindFunction(handle, "nvmlDeviceGetUtilizationRates", utilisation);
    FindFunction(handle, "nvmlDeviceGetPowerManagementLimit", power_limit);
    FindFunction(handle, "nvmlDeviceGetPowerManagementDefaultLimit", default_power_limit);
    FindFunction(handle, "nvmlDeviceGetPowerManagementLimitConstraints", power_limits);
    FindFunction(handle, "nvmlDeviceSetPowerManagementLimit", set_power_limit);
    FindFunction(handle, "nvmlDeviceGetMigMode", mig_mode);
    FindFunction(handle, "nvmlDeviceGetMaxMigDeviceCount", most_mig_devices);
    FindFunction(handle, "nvmlDeviceGetMigDeviceHandleByIndex", mig_by_index);
    FindFunction(handle, "nvmlDeviceGetGpuInstanceId", gpu_instance);
    FindFunction(handle, "nvmlDeviceGetComputeInstanceId", compute_instance);
    FindFunction(handle, "nvmlDeviceGetAttributes_v2", attributes);
    FindFunction(handle, "nvmlDeviceGetComputeRunningProcesses_v3", computing);
    if (!computing) FindFunction(handle, "nvmlDeviceGetComputeRunningProcesses_v2", computing);
    FindFunction(handle, "nvmlDeviceGetGraphicsRunningProcesses_v3", drawing);
    if (!drawing) FindFunction(handle, "nvmlDeviceGetGraphicsRunningProcesses_v2", drawing);
    FindFunction(handle, "nvmlEventSetCreate", make_events);
    FindFunction(handle, "nvmlDeviceRegisterEvents", register_events);
    FindFunction(handle, "nvmlEventSetWait_v2", wait_for_event);
    FindFunction(handle, "nvmlEventSetFree", free_events);
  }
  // The other functions came with later drivers and may be missing.
  bool usable() const {
    return init && shutdown && error_string && count && by_index && uuid && name;
  }
};

bool NvmlLibrary::IsInstalled(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle) ::dlclose(handle);
  return handle != nullptr;
}

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
                 code == kVersionMismatch
                     ? "the driver was upgraded: load its new kernel module, or reboot"
                     : "nvidia-smi should show the same; check the driver"});
  }
  return std::unique_ptr<NvmlLibrary>(new NvmlLibrary(handle, std::move(functions)));
}

NvmlLibrary::NvmlLibrary(void* handle, std::unique_ptr<Functions> functions)
    : handle_(handle), functions_(std::move(functions)) {}

NvmlLibrary::~NvmlLibrary() {
  if (events_) functions_->free_events(events_);
  functions_->shutdown();
  ::dlclose(handle_);
}

std::vector<NvmlLibrary::Device> NvmlLibrary::Devices() const {
  std::vector<Device> devices = Places();
  std::erase(devices, nullptr);
  return devices;
}

std::vector<NvmlLibrary::Device> NvmlLibrary::Places() const {
  unsigned count = 0;
  std::vector<Device> places;
  if (functions_->count(&count) != kSuccess) return places;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (functions_->by_index(i, &device) != kSuccess) device = nullptr;
    places.push_back(device);
  }
  return places;
}

std::string NvmlLibrary::Fault(Device gpu) const {
  unsigned milliwatts = 0;
  UtilisationRates rates{};
  unsigned long long millijoules = 0;
  std::vector<NvmlReturn> codes;
  if (functions_->power) codes.push_back(functions_->power(gpu, &milliwatts));
  if (functions_->utilisation) codes.push_back(functions_->utilisation(gpu, &rates));
  if (functions_->total_energy) codes.push_back(functions_->total_energy(gpu, &millijoules));
  for (const NvmlReturn code : codes) {
    if (code == kGpuIsLost) return Describe(GpuProblem::kLost);
    if (code == kResetRequired) return "the GPU has to be reset before programs can use it";
  }
  return "";
}

std::vector<unsigned> NvmlLibrary::Processes(Device device) const {
  std::vector<unsigned> pids;
  for (const auto ask : {functions_->computing, functions_->drawing}) {
    if (!ask) continue;
    std::vector<ProcessInfo> infos(kMoreProcesses);
    auto count = static_cast<unsigned>(infos.size());
    NvmlReturn code = ask(device, &count, infos.data());
    if (code == kInsufficientSize) {
      infos.resize(std::size_t{count} + kMoreProcesses);
      count = static_cast<unsigned>(infos.size());
      code = ask(device, &count, infos.data());
    }
    if (code != kSuccess) continue;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, infos.size()); ++i)
      pids.push_back(infos[i].pid);
  }
  std::ranges::sort(pids);
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

std::string NvmlLibrary::Uuid(Device device) const {
  char text[kTextLength] = {};
  return functions_->uuid(device, text, kTextLength) == kSuccess ? text : "";
}

std::string NvmlLibrary::Name(Device device) const {
  char text[kTextLength] = {};
  return functions_->name(device, text, kTextLength) == kSuccess ? text : "unknown GPU";
}

GpuAnswer<std::int64_t> NvmlLibrary::TotalMicrojoules(Device device) const {
  unsigned long long millijoules = 0;
  if (!functions_->total_energy) return Problem(kNotSupported);
  if (const auto code = functions_->total_energy(device, &millijoules); code != kSuccess)
    return Problem(code);
  return static_cast<std::int64_t>(millijoules) * 1000;
}

GpuAnswer<double> NvmlLibrary::PowerWatts(Device device) const {
  unsigned milliwatts = 0;
  if (!functions_->power) return Problem(kNotSupported);
  if (const auto code = functions_->power(device, &milliwatts); code != kSuccess)
    return Problem(code);
  return milliwatts / 1000.0;
}

GpuAnswer<double> NvmlLibrary::UtilisationPercent(Device device) const {
  UtilisationRates rates{};
  if (!functions_->utilisation) return Problem(kNotSupported);
  if (const auto code = functions_->utilisation(device, &rates); code != kSuccess)
    return Problem(code);
  return rates.gpu_percent;
}

// Power limits -------------------------------------------------------------------------------

std::optional<NvmlLibrary::Device> NvmlLibrary::Find(const std::string& uuid) const {
  Device device = nullptr;
  if (!functions_->by_uuid || functions_->by_uuid(uuid.c_str(), &device) != kSuccess)
    return std::nullopt;
  return device;
}

GpuAnswer<PowerRange> NvmlLibrary::PowerLimits(Device gpu) const {
  const auto& [limit, standard, limits] =
      std::tie(functions_->power_limit, functions_->default_power_limit, functions_->power_limits);
  if (!limit || !standard || !limits) return tl::unexpected<GpuProblem>(GpuProblem::kUnsupported);
  PowerRange range;
  for (const NvmlReturn code : {limit(gpu, &range.now_mw), standard(gpu, &range.default_mw),
                                limits(gpu, &range.least_mw, &range.most_mw)})
    if (code != kSuccess) return Problem(code);
  return range;
}

std::optional<GpuProblem> NvmlLibrary::SetPowerLimit(Device gpu, unsigned milliwatts) const {
  if (!functions_->set_power_limit) return GpuProblem::kUnsupported;
  const NvmlReturn code = functions_->set_power_limit(gpu, milliwatts);
  return code == kSuccess ? std::nullopt : std::optional(ProblemOf(code));
}

// Errors -------------------------------------------------------------------------------------

bool IsFaultOfGpu(const GpuXid& xid) {
  return std::find(std::begin(kXidsOfPrograms), std::end(kXidsOfPrograms), xid.code) ==
         std::end(kXidsOfPrograms);
}

bool NvmlLibrary::ListenForXids(const std::vector<Device>& gpus) {
  const auto& [make, listen, wait, free] =
      std::tie(functions_->make_events, functions_->register_events, functions_->wait_for_event,
               functions_->free_events);
  if (events_ || !make || !listen || !wait || !free || make(&events_) != kSuccess) return false;
  bool all = true;
  for (const Device gpu : gpus) all = listen(gpu, kXidCriticalError, events_) == kSuccess && all;
  return all;
}

std::vector<GpuXid> NvmlLibrary::TakeXids(std::chrono::milliseconds patience) {
  std::vector<GpuXid> xids;
  EventData event{};
  while (events_ && functions_->wait_for_event(
                        events_, &event,
                        xids.empty() ? static_cast<unsigned>(patience.count()) : 0) == kSuccess) {
    if (event.type != kXidCriticalError) continue;
    GpuXid xid{Uuid(event.device), event.data, std::nullopt};
    if (event.gpu_instance != kNoInstance && event.compute_instance != kNoInstance)
      xid.gpu_and_compute_instance = {event.gpu_instance, event.compute_instance};
    xids.push_back(std::move(xid));
  }
  return xids;
}

NvmlLibrary::Device NvmlLibrary::WholeOf(Device device) const {
  Device parent = nullptr;
  const bool is_slice =
      functions_->parent_of_mig && functions_->parent_of_mig(device, &parent) == kSuccess;
  return is_slice ? parent : device;
}

std::optional<std::pair<unsigned, unsigned>> NvmlLibrary::InstanceOf(Device mig) const {
  unsigned gi = 0, ci = 0;
  if (!functions_->gpu_instance || !functions_->compute_instance || WholeOf(mig) == mig ||
      functions_->gpu_instance(mig, &gi) != kSuccess ||
      functions_->compute_instance(mig, &ci) != kSuccess)
    return std::nullopt;
  return std::pair{gi, ci};
}

// MIG ----------------------------------------------------------------------------------------

bool NvmlLibrary::MigIsOn(Device gpu) const {
  unsigned now = 0, after_reset = 0;
  if (!functions_->mig_mode) return false;
  return functions_->mig_mode(gpu, &now, &after_reset) == kSuccess && now == 1;
}

std::vector<NvmlLibrary::Device> NvmlLibrary::MigDevices(Device gpu) const {
  std::vector<Device> slices;
  for (unsigned i = 0; i < MostMigDevices(gpu); ++i)
    if (const Device mig = MigHandle(gpu, i)) slices.push_back(mig);
  return slices;
}

unsigned NvmlLibrary::MostMigDevices(Device gpu) const {
  unsigned count = 0;
  if (!functions_->most_mig_devices) return 0;
  return functions_->most_mig_devices(gpu, &count) == kSuccess ? count : 0;
}

NvmlLibrary::Device NvmlLibrary::MigHandle(Device gpu, unsigned index) const {
  Device mig = nullptr;
  if (!functions_->mig_by_index) return nullptr;
  return functions_->mig_by_index(gpu, index, &mig) == kSuccess ? mig : nullptr;
}

MigSlice NvmlLibrary::Slice(Device mig, Device parent) const {
  MigSlice slice{Uuid(mig), Uuid(parent), std::nullopt};
  MigAttributes attributes{};
  const unsigned all = MostMigDevices(parent);
  if (all == 0 || !functions_->attributes) return slice;
  if (functions_->attributes(mig, &attributes) != kSuccess || attributes.compute_slices == 0)
    return slice;
  slice.share = std::min(1.0, static_cast<double>(attributes.compute_slices) / all);
  return slice;
}

std::optional<MigSlice> NvmlLibrary::FindMig(const std::string& mig_uuid) const {
  Device mig = nullptr;
  Device parent = nullptr;
  if (!functions_->by_uuid || !functions_->parent_of_mig) return std::nullopt;
  if (functions_->by_uuid(mig_uuid.c_str(), &mig) != kSuccess) return std::nullopt;
  if (functions_->parent_of_mig(mig, &parent) != kSuccess) return std::nullopt;
  return Slice(mig, parent);
}

std::optional<MigSlice> NvmlLibrary::MigAt(Device gpu, unsigned index) const {
  const Device mig = MigHandle(gpu, index);
  if (!mig) return std::nullopt;
  return Slice(mig, gpu);
}

std::optional<MigSlice> NvmlLibrary::MigOf(Device gpu, unsigned gpu_instance,
                                           unsigned compute_instance) const {
  if (!functions_->gpu_instance || !functions_->compute_instance) return std::nullopt;
  for (unsigned i = 0; i < MostMigDevices(gpu); ++i) {
    const Device mig = MigHandle(gpu, i);
    unsigned gi = 0, ci = 0;
    if (!mig || functions_->gpu_instance(mig, &gi) != kSuccess ||
        functions_->compute_instance(mig, &ci) != kSuccess)
      continue;
    if (gi == gpu_instance && ci == compute_instance) return Slice(mig, gpu);
  }
  return std::nullopt;
}

}  // namespace ebb::meter
