#include "meter/meters.h"

#include <cstdlib>

#include "meter/cpu_info.h"
#include "meter/cpu_model.h"
#include "meter/ram_model.h"

namespace ebb::meter {
namespace {

void AddCpuModel(const MeterOptions& options, MeterSet& set) {
  const CpuInfo info = ReadCpuInfo(options.proc_root);
  const CpuPower power = VisibleCpuPower(info, options.cpu_tdp_w);
  if (!power.known)
    set.notes.push_back("the CPU \"" + info.model_name +
                        "\" is not in the built-in table: 4 W per logical processor assumed; give "
                        "the watts of all " +
                        std::to_string(info.logical_processors) + " at full load with --cpu-tdp");
  set.meters.push_back(
      std::make_unique<CpuModelMeter>(power, info.logical_processors, options.scope));
}

void AddRamModel(const MeterOptions& options, MeterSet& set) {
  const auto total_bytes = ReadTotalMemoryBytes(options.proc_root);
  if (!total_bytes) {
    set.notes.push_back("memory is not metered: its size cannot be read from " + options.proc_root +
                        "/meminfo");
    return;
  }
  set.meters.push_back(
      std::make_unique<RamModelMeter>(*total_bytes, options.ram_power_w, options.scope));
}

}  // namespace

MeterOptions OptionsFromEnvironment() {
  MeterOptions options;
  if (const char* devices = std::getenv("CUDA_VISIBLE_DEVICES"))
    options.cuda_visible_devices = devices;
  return options;
}

MeterSet MakeMeters(const MeterOptions& options) {
  MeterSet set;
  AddCpuModel(options, set);
  AddRamModel(options, set);
  for (const auto& meter : set.meters) set.descriptions.push_back(meter->Description());
  return set;
}

}  // namespace ebb::meter
