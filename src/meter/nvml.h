#pragma once
// Energy of NVIDIA GPUs. The driver's energy counter where the GPU has one (Volta and later),
// otherwise power readings taken ten times per second and integrated (power_integral.h). NVML
// counts whole GPUs: a GPU that is visible to the run is charged to it with its idle power, whoever
// else uses it, and a MIG slice counts as the GPU it is cut from.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meter/carry.h"
#include "meter/energy_counter.h"
#include "meter/gap_log.h"
#include "meter/meter.h"
#include "meter/nvml_library.h"
#include "meter/power_integral.h"

namespace ebb::meter {

struct GpuSelection {
  std::vector<std::size_t> indices;  ///< into the list of UUIDs; ascending, each once
  std::vector<std::string> notes;
};

/// The GPUs a CUDA program sees with this value of CUDA_VISIBLE_DEVICES: indices, UUIDs or unique
/// beginnings of them, MIG devices. As in CUDA, nothing after the first entry that names no GPU is
/// visible. Absent: all; empty: none. `library` resolves MIG devices.
GpuSelection SelectGpus(const std::vector<std::string>& uuids,
                        const std::optional<std::string>& cuda_visible_devices,
                        const NvmlLibrary& library);

struct GpuScan {
  std::unique_ptr<Meter> meter;         ///< null where there is no GPU to meter
  std::vector<std::string> gpu_models;  ///< of the metered GPUs
  std::vector<std::string> notes;
};

/// Meters the visible GPUs of this machine.
GpuScan ScanGpus(const std::string& nvml_library,
                 const std::optional<std::string>& cuda_visible_devices);

class NvmlMeter : public Meter {
 public:
  struct Gpu {
    NvmlLibrary::Device handle = nullptr;
    std::string uuid;
    std::string model;
    core::EnergySource source = core::EnergySource::kCounter;  ///< or kPowerIntegral
  };
  NvmlMeter(std::unique_ptr<NvmlLibrary> library, std::vector<Gpu> gpus);

  std::string Description() const override;
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::optional<std::chrono::nanoseconds> poll_interval() const override;
  void Poll(Instant now) override;
  std::optional<double> utilisation_percent() const override { return utilisation_percent_; }
  std::vector<std::string> Gaps() const override;

 private:
  struct Metered {
    Gpu gpu;
    std::string device;
    EnergyCounter counter{std::nullopt};
    PowerIntegral integral{};
    Carry carry{};
    Instant last_power{};  ///< when the power was last read
    std::optional<Time> wall_begin{};
    double waiting_seconds = 0;  ///< since the last reading; only counters wait
  };
  void LookAtPower(Metered& metered, Instant now);
  std::optional<Energy> SampleCounter(Metered& metered, Instant now);
  std::optional<Energy> SamplePower(Metered& metered, Instant now);
  void ReadUtilisation();

  std::unique_ptr<NvmlLibrary> library_;
  std::vector<Metered> metered_;
  Instant sampled_{};
  std::optional<double> utilisation_percent_;
  GapLog gaps_;
};

}  // namespace ebb::meter
