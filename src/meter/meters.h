#pragma once
// Chooses the meters for this machine: hardware counters if they can be read, otherwise models,
// with a note for the user whenever the better source was not available.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/device_profile.h"
#include "core/run/run.h"
#include "meter/cpu/cpu_model.h"
#include "meter/gpu/dcgm_exporter.h"
#include "meter/meter.h"

namespace ebb::meter {

struct MeterOptions {
  core::MeterScope scope = core::MeterScope::kProcessTree;
  /// --cpu-tdp: watts of all visible logical processors together at full load. Replaces the value
  /// of the built-in table; RAPL, if readable, is still preferred.
  std::optional<double> cpu_tdp_w;
  /// --cpu-idle-power: watts of all processors with nothing running; used if RAPL measures them.
  std::optional<double> cpu_idle_w;
  /// --ram-power: watts of the whole machine's memory.
  std::optional<double> ram_power_w;
  bool use_rapl = true;
  bool include_dram = false;  ///< RAPL's dram domain instead of the RAM model, if there is one
  bool use_psys = false;  ///< RAPL's psys domain, if there is one, instead of packages and memory
  bool use_gpu = true;
  /// --cpu-model, for processors whose counters are not used.
  LoadCurve cpu_curve = LoadCurve::kLinear;
  /// --gpu-ids: meters these GPUs, in the form of CUDA_VISIBLE_DEVICES, whatever the program sees
  /// and whatever the scope.
  std::optional<std::string> gpu_ids;
  /// The value that the measured program sees (OptionsFromEnvironment); nullopt: not set, so all
  /// GPUs are visible.
  std::optional<std::string> cuda_visible_devices;
  /// ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES that the measured program sees; nullopt: not set.
  std::optional<std::string> rocr_visible_devices;
  std::optional<std::string> hip_visible_devices;
  /// Profiles for GPUs that report no power. They precede the built-in table.
  std::vector<core::DeviceProfile> device_profiles;
  std::string rapl_root = "/sys/class/powercap";
  std::string proc_root = "/proc";
  std::string nvml_library = "libnvidia-ml.so.1";
  /// A dcgm-exporter that has answered: the NVIDIA GPUs are those that it reports, and NVML is not
  /// asked.
  std::shared_ptr<DcgmExporter> dcgm{};
  /// False: another meter covers the processors (KeplerMeter), so none is made for them.
  bool use_cpu = true;
  /// The first file that loads is used. They are tried only if `kfd_device`, the driver of AMD
  /// GPUs, exists.
  std::vector<std::string> rocm_libraries{"librocm_smi64.so",   "librocm_smi64.so.7",
                                          "librocm_smi64.so.6", "librocm_smi64.so.5",
                                          "librocm_smi64.so.1", "/opt/rocm/lib/librocm_smi64.so"};
  std::string kfd_device = "/dev/kfd";
};

/// The defaults, with the visible GPUs from this process's environment.
MeterOptions OptionsFromEnvironment();

struct MeterSet {
  std::vector<std::unique_ptr<Meter>> meters;
  std::vector<std::string> descriptions;  ///< one line per meter, for RunSpec::meters
  std::vector<std::string> notes;       ///< reasons why a better source is not used, and what to do
  std::vector<std::string> gpu_models;  ///< models of the metered GPUs, in order
  std::vector<GpuHolding> gpus;         ///< the metered GPUs, under their names in readings
  int cpu_devices = 0;                  ///< devices that the CPU is metered as: its packages, or 1
  /// Watts of each CPU device with nothing running; nullopt if unknown.
  std::optional<double> cpu_idle_w;
};

/// The GPUs that a program with these options sees, under their names in readings.
std::vector<GpuHolding> VisibleGpus(const MeterOptions& options);

/// Makes the meters. Never fails: if nothing can be read, the models remain.
MeterSet MakeMeters(const MeterOptions& options);

}  // namespace ebb::meter
