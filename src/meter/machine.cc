#include "meter/machine.h"

#include <array>

#include "base/text.h"
#include "meter/cpu/cpu_info.h"
#include "meter/small_file.h"
#include "platform/system.h"

namespace ebb::meter {

core::Machine DescribeMachine(std::vector<std::string> gpu_models, const std::string& proc_root) {
  core::Machine machine;
  machine.host = platform::HostName();
  machine.operating_system = platform::OperatingSystem();
  const CpuInfo cpu = ReadCpuInfo(proc_root);
  machine.cpu_model = cpu.model_name;
  machine.cpu_count = cpu.logical_processors;
  machine.ram_total_gb = ReadTotalMemoryBytes(proc_root).value_or(0) / kBytesPerGib;
  machine.gpu_models = std::move(gpu_models);
  std::array<char, 64> buffer{};
  const auto boot = ReadSmallFile((proc_root + "/sys/kernel/random/boot_id").c_str(), buffer);
  if (boot) machine.boot_id = Trim(*boot);
  return machine;
}

}  // namespace ebb::meter
