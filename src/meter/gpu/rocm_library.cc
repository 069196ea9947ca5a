#include "meter/gpu/rocm_library.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>

#include "platform/shared_library.h"

namespace ebb::meter {
namespace {

using platform::FindFunction;

using RocmStatus = int;
constexpr RocmStatus kSuccess = 0, kNotSupported = 2, kFileError = 3, kPermission = 4,
                     kNotYetImplemented = 9, kNotFound = 10;

// The library numbers its devices; a handle is the number plus one, so that it is never null.
std::uint32_t IndexOf(GpuLibrary::Device device) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(device) - 1);
}
GpuLibrary::Device HandleOf(std::uint32_t index) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<GpuLibrary::Device>(std::uintptr_t{index} + 1);
}

tl::unexpected<GpuProblem> Problem(RocmStatus status) {
  using enum GpuProblem;
  if (status == kNotSupported || status == kNotYetImplemented)
    return tl::unexpected<GpuProblem>(kUnsupported);
  if (status == kPermission) return tl::unexpected<GpuProblem>(kNoPermission);
  // The library reads sysfs, which has no files of a card that has gone.
  if (status == kFileError || status == kNotFound) return tl::unexpected<GpuProblem>(kLost);
  return tl::unexpected<GpuProblem>(kOther);
}

// Bits: domain 63-32, bus 15-8, device 7-3, function 2-0.
std::string PciName(std::uint64_t id) {
  char text[40];
  std::snprintf(text, sizeof text, "PCI-%04x:%02x:%02x.%x", static_cast<unsigned>(id >> 32),
                static_cast<unsigned>(id >> 8 & 0xff), static_cast<unsigned>(id >> 3 & 0x1f),
                static_cast<unsigned>(id & 0x7));
  return text;
}

}  // namespace

struct RocmLibrary::Functions {
  RocmStatus (*init)(std::uint64_t);
  RocmStatus (*shut_down)();
  RocmStatus (*status_string)(RocmStatus, const char**);
  RocmStatus (*count)(std::uint32_t*);
  RocmStatus (*unique_id)(std::uint32_t, std::uint64_t*);
  RocmStatus (*pci_id)(std::uint32_t, std::uint64_t*);
  RocmStatus (*name)(std::uint32_t, char*, std::size_t);
  RocmStatus (*energy)(std::uint32_t, std::uint64_t*, float*, std::uint64_t*);
  RocmStatus (*average_power)(std::uint32_t, std::uint32_t, std::uint64_t*);
  RocmStatus (*socket_power)(std::uint32_t, std::uint64_t*);
  RocmStatus (*busy)(std::uint32_t, std::uint32_t*);

  explicit Functions(void* handle) {
    FindFunction(handle, "rsmi_init", init);
    FindFunction(handle, "rsmi_shut_down", shut_down);
    FindFunction(handle, "rsmi_status_string", status_string);
    FindFunction(handle, "rsmi_num_monitor_devices", count);
    FindFunction(handle, "rsmi_dev_unique_id_get", unique_id);
    FindFunction(handle, "rsmi_dev_pci_id_get", pci_id);
    FindFunction(handle, "rsmi_dev_name_get", name);
    FindFunction(handle, "rsmi_dev_energy_count_get", energy);
    FindFunction(handle, "rsmi_dev_power_ave_get", average_power);
    FindFunction(handle, "rsmi_dev_current_socket_power_get", socket_power);
    FindFunction(handle, "rsmi_dev_busy_percent_get", busy);
  }
  // The other functions came with later releases and may be missing.
  bool usable() const { return init && shut_down && count && (unique_id || pci_id); }
};

Result<std::unique_ptr<RocmLibrary>> RocmLibrary::Open(const std::vector<std::string>& files) {
  void* handle = nullptr;
  std::string file = files.front();
  for (const std::string& candidate : files) {
    handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) continue;
    file = candidate;
    break;
  }
  if (!handle)
    return Fail({ExitCode::kUnavailable, "ROCm SMI is not installed", file, "it comes with ROCm"});
  auto functions = std::make_unique<Functions>(handle);
  if (!functions->usable()) {
    ::dlclose(handle);
    return Fail({ExitCode::kUnavailable, "is too old or not ROCm SMI", file, "update ROCm"});
  }
  if (const RocmStatus code = functions->init(0); code != kSuccess) {
    const char* cause = nullptr;
    if (functions->status_string) functions->status_string(code, &cause);
    const std::string words = cause ? cause : "code " + std::to_string(code);
    ::dlclose(handle);
    return Fail({ExitCode::kUnavailable, "ROCm SMI does not start: " + words, file,
                 "rocm-smi should show the same; check the amdgpu driver"});
  }
  return std::unique_ptr<RocmLibrary>(new RocmLibrary(handle, std::move(functions)));
}

RocmLibrary::RocmLibrary(void* handle, std::unique_ptr<Functions> functions)
    : handle_(handle), functions_(std::move(functions)) {}

RocmLibrary::~RocmLibrary() {
  functions_->shut_down();
  ::dlclose(handle_);
}

std::vector<GpuLibrary::Device> RocmLibrary::Devices() const {
  std::uint32_t count = 0;
  std::vector<Device> devices;
  if (functions_->count(&count) != kSuccess) return devices;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!Uuid(HandleOf(i)).empty()) devices.push_back(HandleOf(i));
  }
  return devices;
}

std::string RocmLibrary::Uuid(Device device) const {
  std::uint64_t id = 0;
  if (functions_->unique_id && functions_->unique_id(IndexOf(device), &id) == kSuccess && id != 0) {
    char text[24];
    std::snprintf(text, sizeof text, "GPU-%016llx", static_cast<unsigned long long>(id));
    return text;
  }
  if (functions_->pci_id && functions_->pci_id(IndexOf(device), &id) == kSuccess)
    return PciName(id);
  return "";
}

std::string RocmLibrary::Name(Device device) const {
  char text[128] = {};
  if (!functions_->name) return "unknown GPU";
  const bool known = functions_->name(IndexOf(device), text, sizeof text) == kSuccess;
  return known && text[0] ? text : "unknown GPU";
}

GpuAnswer<std::int64_t> RocmLibrary::TotalMicrojoules(Device device) const {
  std::uint64_t count = 0, time_ns = 0;
  float resolution_uj = 0;
  if (!functions_->energy) return Problem(kNotSupported);
  if (const auto code = functions_->energy(IndexOf(device), &count, &resolution_uj, &time_ns);
      code != kSuccess)
    return Problem(code);
  // Cards without the counter answer with all bits set, or with a resolution of zero.
  if (count == ~std::uint64_t{0} || !(resolution_uj > 0)) return Problem(kNotSupported);
  const long double microjoules =
      static_cast<long double>(count) * static_cast<long double>(resolution_uj);
  if (microjoules > 9e18L) return Problem(kNotSupported);
  return static_cast<std::int64_t>(microjoules);
}

GpuAnswer<double> RocmLibrary::PowerWatts(Device device) const {
  std::uint64_t microwatts = 0;
  RocmStatus code = kNotSupported;
  if (functions_->average_power) code = functions_->average_power(IndexOf(device), 0, &microwatts);
  if (code == kNotSupported && functions_->socket_power)
    code = functions_->socket_power(IndexOf(device), &microwatts);
  if (code != kSuccess) return Problem(code);
  return static_cast<double>(microwatts) / 1e6;
}

GpuAnswer<double> RocmLibrary::UtilisationPercent(Device device) const {
  std::uint32_t percent = 0;
  if (!functions_->busy) return Problem(kNotSupported);
  if (const auto code = functions_->busy(IndexOf(device), &percent); code != kSuccess)
    return Problem(code);
  return percent;
}

}  // namespace ebb::meter
