#pragma once
// The energy counter of the NVIDIA GPU that trains, through the libraries of its driver, which are
// loaded only when they are asked for. It compares settings while a run trains; what a run emits is
// measured from outside, by `ebb`.

#include <memory>
#include <optional>
#include <string>

namespace ebb::train {

/// Where on the bus a CUDA device of this process is, by its number among those that
/// CUDA_VISIBLE_DEVICES leaves: "0000:3B:00.0". nullopt without NVIDIA's driver.
std::optional<std::string> PciBusIdOf(int cuda_device);

inline constexpr const char* kNvmlFile = "libnvidia-ml.so.1";

class EnergyCounter {
 public:
  /// Null if nothing can be read that is of this GPU alone: without NVML (`nvml_file`) or such a
  /// GPU, before Volta, or if the GPU is divided (MIG), because slices share one counter.
  static std::unique_ptr<EnergyCounter> Open(const std::string& nvml_file,
                                             const std::string& pci_bus_id);
  ~EnergyCounter();
  EnergyCounter(const EnergyCounter&) = delete;
  EnergyCounter& operator=(const EnergyCounter&) = delete;

  /// Joules since the driver was loaded. The counter moves 10 to 50 times in a second.
  std::optional<double> Joules() const;

 private:
  struct Nvml;
  explicit EnergyCounter(std::unique_ptr<Nvml> nvml);
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace ebb::train
