#include "local/supervisor/device_guard.h"
#include "platform/system_clock.h"

#include <algorithm>

namespace ebb::local {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};
// The driver may report an error shortly after the program has died of it.
constexpr std::chrono::milliseconds kLastWait{300};

}  // namespace

DeviceGuard::DeviceGuard(const AttemptPaths& paths, const AttemptPlan& plan,
                         const std::string& nvml_library)
    : paths_(paths) {
  if (plan.gpus.empty()) return;
  auto library = meter::NvmlLibrary::Open(nvml_library);
  if (!library) return;
  library_ = *std::move(library);
  std::vector<meter::NvmlLibrary::Device> whole;
  for (const std::string& name : plan.gpus) {
    const auto device = library_->Find(name);
    if (!device) continue;
    Gpu gpu{name, library_->WholeOf(*device), "", library_->InstanceOf(*device)};
    gpu.whole_uuid = library_->Uuid(gpu.whole);
    if (std::find(whole.begin(), whole.end(), gpu.whole) == whole.end()) whole.push_back(gpu.whole);
    gpus_.push_back(std::move(gpu));
  }
  library_->ListenForXids(whole);
}

void DeviceGuard::Take(std::chrono::milliseconds patience) {
  for (const meter::GpuXid& xid : library_->TakeXids(patience)) {
    if (!meter::IsFaultOfGpu(xid)) continue;
    const auto& instance = xid.gpu_and_compute_instance;
    for (const Gpu& gpu : gpus_) {
      const bool mine = !instance || !gpu.instance || instance == gpu.instance;
      if (gpu.whole_uuid == xid.uuid && mine)
        Write(gpu.name, "its driver reported error Xid " + std::to_string(xid.code));
    }
  }
}

void DeviceGuard::Look() {
  const auto now = std::chrono::steady_clock::now();
  if (!library_ || now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  Take(std::chrono::milliseconds{0});
}

void DeviceGuard::LookAtEnd(bool failed) {
  if (!library_) return;
  Take(failed ? kLastWait : std::chrono::milliseconds{0});
  if (!failed) return;
  for (const Gpu& gpu : gpus_)
    if (const std::string fault = library_->Fault(gpu.whole); !fault.empty())
      Write(gpu.name, fault);
}

void DeviceGuard::Write(const std::string& device, const std::string& what) {
  // If this cannot be written, the failure counts as the program's own.
  std::ignore = AppendDeviceFault(paths_, {platform::WallNow(), device, what});
}

}  // namespace ebb::local
