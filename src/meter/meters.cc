#include "meter/meters.h"

#include <cstdlib>
#include <filesystem>

#include "meter/cpu/cpu_info.h"
#include "meter/cpu/cpu_model.h"
#include "meter/cpu/ram_model.h"
#include "meter/cpu/rapl.h"
#include "meter/gpu/nvml.h"
#include "meter/gpu/rocm.h"
#include "meter/sharing/cgroup.h"
#include "platform/path_facts.h"

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
  set.cpu_devices = 1;
  set.cpu_idle_w = CpuModelMeter::IdleWatts(power);
  set.meters.push_back(std::make_unique<CpuModelMeter>(power, info.logical_processors,
                                                       options.scope, options.cpu_curve));
}

void AddCpu(const MeterOptions& options, std::vector<RaplDomain> packages, MeterSet& set) {
  if (packages.empty()) return AddCpuModel(options, set);
  set.cpu_devices = static_cast<int>(packages.size());
  if (options.cpu_idle_w) set.cpu_idle_w = *options.cpu_idle_w / set.cpu_devices;
  set.meters.push_back(std::make_unique<RaplMeter>(
      std::move(packages),
      RaplMeter::Options{core::Component::kCpu, options.scope, 0, set.cpu_idle_w}));
}

void AddRam(const MeterOptions& options, std::vector<RaplDomain> dram, MeterSet& set) {
  const auto total_bytes = ReadTotalMemoryBytes(options.proc_root);
  if (total_bytes && options.include_dram && !dram.empty()) {
    set.meters.push_back(std::make_unique<RaplMeter>(
        std::move(dram), RaplMeter::Options{core::Component::kRam, options.scope, *total_bytes}));
    return;
  }
  if (options.include_dram)
    set.notes.push_back("RAPL has no dram domain here that can be read: the RAM model is used");
  if (!total_bytes) {
    set.notes.push_back("memory is not metered: its size cannot be read from " + options.proc_root +
                        "/meminfo");
    return;
  }
  set.meters.push_back(
      std::make_unique<RamModelMeter>(*total_bytes, options.ram_power_w, options.scope));
}

// Adds the meter of psys if it is asked for and there; else returns false. psys is the whole
// platform, memory included, so nothing is metered in addition to it.
bool AddPlatform(const MeterOptions& options, std::vector<RaplDomain> psys, MeterSet& set) {
  if (!options.use_psys) return false;
  if (psys.empty()) {
    set.notes.push_back("RAPL has no psys domain here that can be read: it is left aside");
    return false;
  }
  set.notes.push_back(
      "psys counts the whole platform, memory included: packages and memory are "
      "not metered beside it");
  set.cpu_devices = 1;
  set.cpu_idle_w = options.cpu_idle_w;
  set.meters.push_back(std::make_unique<RaplMeter>(
      std::move(psys),
      RaplMeter::Options{core::Component::kCpu, options.scope, 0, set.cpu_idle_w}));
  return true;
}

// A missing NVIDIA library is worth a note only if a GPU is expected.
bool NvidiaExpected(const MeterOptions& options) {
  if (options.cuda_visible_devices && !platform::Exists(options.kfd_device))
    return !options.cuda_visible_devices->empty();
  return platform::Exists(options.proc_root + "/driver/nvidia");
}

void Take(GpuScan scan, bool expected, MeterSet& set) {
  if (scan.meter || expected)
    set.notes.insert(set.notes.end(), scan.notes.begin(), scan.notes.end());
  if (!scan.meter) return;
  set.meters.push_back(std::move(scan.meter));
  set.gpu_models.insert(set.gpu_models.end(), scan.gpu_models.begin(), scan.gpu_models.end());
  set.gpus.insert(set.gpus.end(), scan.holdings.begin(), scan.holdings.end());
}

GpuScan ScanDcgm(const MeterOptions& options) {
  auto library = LibraryOf(options.dcgm);
  std::vector<MeteredGpu> gpus;
  for (const GpuLibrary::Device device : library->Devices())
    gpus.push_back({device, library->Uuid(device), library->Name(device)});
  return MeterGpus(std::move(library), std::move(gpus), {}, options.device_profiles);
}

void AddGpus(const MeterOptions& options, MeterSet& set) {
  // The scope machine covers all GPUs, including those that the run cannot see.
  const bool machine = options.scope == core::MeterScope::kMachine;
  const auto by_scope = [&](const std::optional<std::string>& visible) {
    return options.gpu_ids ? options.gpu_ids : machine ? std::nullopt : visible;
  };
  if (options.dcgm)
    Take(ScanDcgm(options), true, set);
  else
    Take(ScanGpus(options.nvml_library, by_scope(options.cuda_visible_devices),
                  options.device_profiles),
         NvidiaExpected(options), set);
  if (!platform::Exists(options.kfd_device)) return;
  RocmVisible visible{options.rocr_visible_devices, options.hip_visible_devices};
  // HIP programs read CUDA_VISIBLE_DEVICES if HIP_VISIBLE_DEVICES is not set.
  if (!visible.hip) visible.hip = options.cuda_visible_devices;
  if (options.gpu_ids) visible = {options.gpu_ids, std::nullopt};
  const bool all = machine && !options.gpu_ids;
  Take(ScanRocmGpus(options.rocm_libraries, all ? RocmVisible{} : visible), true, set);
}

std::optional<std::string> FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

MeterOptions OptionsFromEnvironment() {
  MeterOptions options;
  options.cuda_visible_devices = FromEnvironment("CUDA_VISIBLE_DEVICES");
  options.rocr_visible_devices = FromEnvironment("ROCR_VISIBLE_DEVICES");
  options.hip_visible_devices = FromEnvironment("HIP_VISIBLE_DEVICES");
  return options;
}

std::vector<GpuHolding> VisibleGpus(const MeterOptions& options) {
  MeterSet set;
  if (options.use_gpu) AddGpus(options, set);
  return set.gpus;
}

MeterSet MakeMeters(const MeterOptions& options) {
  MeterSet set;
  RaplScan rapl;
  if (options.use_rapl) rapl = ScanRapl(options.rapl_root);
  if (!AddPlatform(options, std::move(rapl.psys), set)) {
    if (options.use_cpu) {
      if (!rapl.note.empty()) set.notes.push_back(rapl.note);
      AddCpu(options, std::move(rapl.packages), set);
    }
    AddRam(options, std::move(rapl.dram), set);
  }
  if (options.use_gpu) AddGpus(options, set);
  for (const auto& meter : set.meters) set.descriptions.push_back(meter->Description());
  if (options.scope == core::MeterScope::kProcessTree && Cgroup::Permitted(options.proc_root))
    set.descriptions.push_back("usage: of a control group (cgroup v2), not of the process tree");
  return set;
}

}  // namespace ebb::meter
