#pragma once
// Chooses the meters for this machine: hardware counters where they can be read, models where they
// cannot, and a note for the user wherever the better source was not available.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_profile.h"
#include "core/run.h"
#include "meter/cpu/cpu_model.h"
#include "meter/gpu/dcgm_exporter.h"
#include "meter/meter.h"

namespace ebb::meter {

struct MeterOptions {
  core::MeterScope scope = core::MeterScope::kProcessTree;
  /// --cpu-tdp: watts of all visible logical processors together at full load. Takes the place of
  /// the built-in table; RAPL, where readable, is still preferred.
  std::optional<double> cpu_tdp_w;
  /// --cpu-idle-power: watts of all processors with nothing running, where RAPL measures them.
  std::optional<double> cpu_idle_w;
  /// --ram-power: watts of the whole machine's memory.
  std::optional<double> ram_power_w;
  bool use_rapl = true;
  bool include_dram = false;  ///< RAPL's dram domain instead of the RAM model, where there is one
  bool use_psys = false;      ///< RAPL's psys domain instead of packages and memory, where it is
  bool use_gpu = true;
  /// --cpu-model, for processors whose counters are not used.
  LoadCurve cpu_curve = LoadCurve::kLinear;
  /// --gpu-ids: these, in the form of CUDA_VISIBLE_DEVICES, whatever the program sees and whatever
  /// the scope.
  std::optional<std::string> gpu_ids;
  /// The value the measured program sees; nothing: not set, all GPUs. See OptionsFromEnvironment.
  std::optional<std::string> cuda_visible_devices;
  /// ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES, likewise.
  std::optional<std::string> rocr_visible_devices;
  std::optional<std::string> hip_visible_devices;
  /// Over the built-in table, for GPUs that report no power.
  std::vector<core::DeviceProfile> device_profiles;
  std::string rapl_root = "/sys/class/powercap";
  std::string proc_root = "/proc";
  std::string nvml_library = "libnvidia-ml.so.1";
  /// Has answered: NVIDIA's GPUs are those that it tells of, and NVML is not asked.
  std::shared_ptr<DcgmExporter> dcgm{};
  /// Somebody else meters the processors (a KeplerMeter): no meter is made for them.
  bool use_cpu = true;
  /// The first that loads; only tried where there is `kfd_device`, the driver of AMD's GPUs.
  std::vector<std::string> rocm_libraries{"librocm_smi64.so",   "librocm_smi64.so.7",
                                          "librocm_smi64.so.6", "librocm_smi64.so.5",
                                          "librocm_smi64.so.1", "/opt/rocm/lib/librocm_smi64.so"};
  std::string kfd_device = "/dev/kfd";
};

/// Defaults, with the visible GPUs taken from this process's environment.
MeterOptions OptionsFromEnvironment();

struct MeterSet {
  std::vector<std::unique_ptr<Meter>> meters;
  std::vector<std::string> descriptions;  ///< one line per meter, for RunSpec::meters
  std::vector<std::string> notes;         ///< why a better source is not used and what to do
  std::vector<std::string> gpu_models;    ///< of the metered GPUs, in order
  std::vector<GpuHolding> gpus;           ///< the same GPUs, as their readings name them
  int cpu_devices = 0;                    ///< that the CPU is metered as: packages, or 1
  std::optional<double> cpu_idle_w;       ///< of each of them with nothing running, where known
};

/// The GPUs that a program with these options sees, as their readings name them.
std::vector<GpuHolding> VisibleGpus(const MeterOptions& options);

/// Never fails: where nothing can be read the models remain.
MeterSet MakeMeters(const MeterOptions& options);

}  // namespace ebb::meter
